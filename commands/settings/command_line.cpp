// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>

#include <deque>

#include "commands/settings/options.h"

namespace partita::commands {
namespace {

constexpr std::string_view kVersion = "partitad version " PARTITA_VERSION "\n";

/// CLI11 splits the words and writes the help; what they mean is for the table of options.
class Parser {
 public:
  Parser() {
    app_.set_help_flag("-h,--help", "Show this text");
    app_.allow_extras();
    app_.add_flag("--version", version_, "Show the version");
    app_.add_option("-f,--config", config_, "Read settings from this file (YAML)")->type_name("FILE");
    app_.add_option("--setParameter", parameters_, "Set a server parameter; may stand more than once")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    const std::string help = "Log more; -vv to -vvvvv still more";  // A literal would pick another overload.
    verbose_ = app_.add_flag("-v,--verbose", help)->disable_flag_override();
    for (const Option& option : options())
      if (!option.flag.empty()) add(option);
  }

  Result<CommandLine> run(std::span<const char* const> argv) {
    try {
      app_.parse(static_cast<int>(argv.size()), const_cast<char**>(argv.data()));  // CLI11 does not write to it.
    } catch (const CLI::CallForHelp&) {
      return CommandLine{.help = app_.help()};
    } catch (const CLI::ParseError& problem) {
      const std::string_view text = problem.what();  // Names the flag, sometimes without its dashes.
      return error(Code::BadValue, text.starts_with("-") ? "" : "--", text);
    }
    if (version_) return CommandLine{.help = std::string(kVersion)};
    CHECK_OK(refuse_extras());
    return collect();
  }

 private:
  struct Word {
    const Option* option;
    CLI::Option* parsed;
    std::vector<std::string> values;
  };

  void add(const Option& option) {
    Word& word = words_.emplace_back(Word{&option, nullptr, {}});
    const std::string name = "--" + std::string(option.flag);
    const std::string help(option.help);
    if (!option.flag_value.empty()) {
      word.parsed = app_.add_flag(name, help)->disable_flag_override();
    } else {
      word.parsed = app_.add_option(name, word.values, help)->type_name(std::string(option.argument));
      word.parsed->take_all()->allow_extra_args(false);
    }
  }

  Status refuse_extras() const {
    const std::vector<std::string> extras = app_.remaining();
    if (extras.empty()) return {};
    const std::string& word = extras.front();
    const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
    const std::string name = word.substr(dashes, word.find('=') - dashes);
    if (const auto why = why_unsupported(name); dashes > 0 && !why.empty())
      return error(Code::BadValue, "--", name, ": ", why);
    return error(Code::BadValue, word,
                 dashes > 0 ? " is not a flag of this server" : " is not understood: settings are flags",
                 "; --help lists them");
  }

  Result<CommandLine> collect() const {
    CommandLine line{.config_path = config_};
    for (const Word& word : words_) {
      const std::size_t count = word.parsed->count();
      const std::string origin = "--" + std::string(word.option->flag);
      if (count > 1 && word.option->flag_value.empty()) return error(Code::BadValue, origin, " stands more than once");
      if (count == 0) continue;
      const bool takes_value = word.option->flag_value.empty();
      line.given.values.push_back(
          {word.option, takes_value ? word.values.front() : std::string(word.option->flag_value), origin});
    }
    if (const std::size_t level = verbose_->count(); level > 0)
      line.given.values.push_back({option_at("systemLog.verbosity"), std::to_string(level), "--verbose"});
    for (const std::string& parameter : parameters_) {
      const std::size_t equals = parameter.find('=');
      if (equals == std::string::npos || equals == 0)
        return error(Code::BadValue, "--setParameter must be NAME=VALUE: ", parameter);
      line.given.parameters.push_back({parameter.substr(0, equals), parameter.substr(equals + 1), "--setParameter"});
    }
    return line;
  }

  CLI::App app_{"The Partita document database server.", "partitad"};
  std::deque<Word> words_;  // CLI11 keeps pointers into them.
  CLI::Option* verbose_;
  bool version_ = false;
  std::string config_;
  std::vector<std::string> parameters_;
};

}  // namespace

Result<CommandLine> read_command_line(std::span<const char* const> argv) { return Parser().run(argv); }

}  // namespace partita::commands
