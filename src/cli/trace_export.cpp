// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "base/atomic_file.hpp"
#include "base/suggest.hpp"
#include "cli/trace_tools.hpp"
#include "trace/exporters.hpp"

namespace numatch::cli {

namespace {

constexpr std::array<std::string_view, 4> formats{"lackey", "din", "numalize", "drmemtrace"};

class trace_export : public command {
 public:
  void options(CLI::App& app) override {
    app.add_option("file", file_, "The trace (.nmt)")->required();
    app.add_option("--format", format_, "lackey, din, numalize or drmemtrace")->required();
    app.add_option("-o,--output", output_,
                   "A file, or - for standard output (lackey, din); the begin of the names "
                   "(numalize); a new folder (drmemtrace)")
        ->required();
    app.add_option("--shift", shift_,
                   "numalize: threads communicate through blocks of 2^SHIFT bytes")
        ->capture_default_str();
  }

  result<int> run(console& terminal) override {
    if (std::find(formats.begin(), formats.end(), format_) == formats.end()) {
      return fail("--format", fmt::format("unknown format '{}'", format_),
                  suggest(format_, formats));
    }
    const result<trace::reader> trace = trace::reader::open(file_);
    if (!trace) return tl::unexpected(trace.error());
    const result<void> written = write(terminal, *trace);
    if (!written) return tl::unexpected(written.error());
    return fine;
  }

 private:
  result<void> write(console& terminal, const trace::reader& trace) const {
    if (format_ == "numalize") return trace::export_numalize(trace, output_, shift_);
    if (format_ == "drmemtrace") return trace::export_drmemtrace(trace, output_);
    if (output_ == "-") {
      return write_text(trace, [&](std::string_view text) {
        terminal.out(text);
        return result<void>{};
      });
    }
    result<atomic_file> file = atomic_file::create(output_);
    if (!file) return tl::unexpected(file.error());
    const result<void> written =
        write_text(trace, [&](std::string_view text) { return file->write(text); });
    return written ? file->commit() : written;
  }

  result<void> write_text(const trace::reader& trace, const trace::text_sink& sink) const {
    return format_ == "din" ? trace::export_din(trace, sink) : trace::export_lackey(trace, sink);
  }

  std::string file_;
  std::string format_;
  std::string output_;
  unsigned shift_ = 6;
};

}  // namespace

std::unique_ptr<command> make_trace_export() {
  return std::make_unique<trace_export>();
}

}  // namespace numatch::cli
