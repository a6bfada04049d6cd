// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "base/suggest.hpp"
#include "cli/trace_tools.hpp"
#include "trace/importers.hpp"

namespace numatch::cli {

namespace {

constexpr std::array<std::string_view, 2> formats{"lackey", "din"};

class trace_import : public command {
 public:
  void options(CLI::App& app) override {
    app.add_option("file", file_, "The other tool's trace")->required();
    app.add_option("--format", format_, "lackey or din")->required();
    app.add_option("-o,--output", output_, "The trace to write (.nmt)")->required();
  }

  result<int> run(console& /*terminal*/) override {
    if (std::find(formats.begin(), formats.end(), format_) == formats.end()) {
      return fail("--format", fmt::format("unknown format '{}'", format_),
                  suggest(format_, formats));
    }
    const result<void> made =
        format_ == "din" ? trace::import_din(file_, output_) : trace::import_lackey(file_, output_);
    if (!made) return tl::unexpected(made.error());
    return fine;
  }

 private:
  std::string file_;
  std::string format_;
  std::string output_;
};

}  // namespace

std::unique_ptr<command> make_trace_import() {
  return std::make_unique<trace_import>();
}

}  // namespace numatch::cli
