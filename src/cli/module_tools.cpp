// SPDX-License-Identifier: Apache-2.0
#include "cli/module_tools.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/module_text.hpp"
#include "cli/words.hpp"
#include "live/module_build.hpp"
#include "live/module_files.hpp"
#include "live/module_loader.hpp"

namespace numatch::cli {

namespace {

using json = nlohmann::ordered_json;

std::string running_release() {
  return live::system_tree("/").text("/proc/sys/kernel/osrelease").value_or("");
}

/// One line for a person, or the same as JSON.
void tell(console& terminal, bool as_json, const std::string& line, const json& made) {
  terminal.out(as_json ? made.dump(2) + "\n" : line + "\n");
}

class status_command : public command {
 public:
  void options(CLI::App& app) override { app.add_flag("--json", json_, "Write JSON"); }
  result<int> run(console& terminal) override {
    const live::module_state state =
        live::read_module_state(live::system_tree("/"), live::read_system_facts());
    terminal.out(json_ ? module_json(state) : module_text(state));
    return state.facts.usable ? fine : answer_is_no;
  }

 private:
  bool json_ = false;
};

class build_command : public command {
 public:
  void options(CLI::App& app) override {
    app.add_option("--headers", headers_,
                   "Headers of the kernel to build for; the running one's unless said")
        ->type_name("FOLDER");
    app.add_option("-o,--output", folder_,
                   "Folder for the module; in ~/.cache/numatch/module unless said")
        ->type_name("FOLDER");
    app.add_flag("--json", json_, "Write JSON");
  }
  result<int> run(console& terminal) override {
    const std::string release = running_release();
    const result<std::string> sources = live::module_sources();
    if (!sources) return tl::unexpected(sources.error());
    if (folder_.empty()) {
      const result<std::string> folder = live::module_folder(release);
      if (!folder) return tl::unexpected(folder.error());
      folder_ = *folder;
    }
    if (headers_.empty()) headers_ = "/lib/modules/" + release + "/build";
    const live::module_build wanted{*sources, std::filesystem::absolute(headers_).string(),
                                    std::filesystem::absolute(folder_).string()};
    const result<std::string> file = live::build_module(wanted);
    if (!file) return tl::unexpected(file.error());
    const result<std::string> made_for = live::release_of_module(*file);
    if (!made_for) return tl::unexpected(made_for.error());
    tell(terminal, json_, fmt::format("{}: for Linux {}", *file, *made_for),
         {{"file", *file}, {"release", *made_for}, {"runs", *made_for == release}});
    return fine;
  }

 private:
  std::string headers_;
  std::string folder_;
  bool json_ = false;
};

class load_command : public command {
 public:
  void options(CLI::App& app) override {
    app.add_option("FILE", file_,
                   "The module; unless said the installed one, else what `numatch module build` "
                   "has made");
    app.add_option("--option", given_,
                   "A parameter of the module: force=1 (on a kernel that it was not tried on), "
                   "precise_pcid=1 (never tried on a real processor); repeatable")
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--json", json_, "Write JSON");
  }
  result<int> run(console& terminal) override {
    std::string parameters;
    for (const std::string& one : given_) {
      if (!key_and_value(one)) return fail("--option", fmt::format("'{}' is not NAME=VALUE", one));
      parameters += (parameters.empty() ? "" : " ") + one;
    }
    const result<std::string> file = choose();
    if (!file) return tl::unexpected(file.error());
    if (result<void> done = live::load_module(*file, parameters); !done) {
      return tl::unexpected(done.error());
    }
    tell(terminal, json_, fmt::format("{}: loaded", *file), {{"file", *file}, {"loaded", true}});
    return fine;
  }

 private:
  result<std::string> choose() const {
    if (!file_.empty()) return file_;
    const std::string release = running_release();
    if (const auto found = live::installed_module(live::system_tree("/"), release)) return *found;
    const result<std::string> folder = live::module_folder(release);
    if (!folder) return tl::unexpected(folder.error());
    const std::string made = *folder + "/numatch.ko";
    std::error_code ignored;
    if (std::filesystem::exists(made, ignored)) return made;
    return fail(made, fmt::format("there is no module for Linux {}", release),
                "numatch module build makes it, the package numatch-dkms for each kernel");
  }

  std::string file_;
  std::vector<std::string> given_;
  bool json_ = false;
};

class unload_command : public command {
 public:
  void options(CLI::App& app) override { app.add_flag("--json", json_, "Write JSON"); }
  result<int> run(console& terminal) override {
    if (result<void> done = live::unload_module(); !done) return tl::unexpected(done.error());
    tell(terminal, json_, "module numatch: unloaded", {{"loaded", false}});
    return fine;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<command> make_module_status() {
  return std::make_unique<status_command>();
}
std::unique_ptr<command> make_module_build() {
  return std::make_unique<build_command>();
}
std::unique_ptr<command> make_module_load() {
  return std::make_unique<load_command>();
}
std::unique_ptr<command> make_module_unload() {
  return std::make_unique<unload_command>();
}

}  // namespace numatch::cli
