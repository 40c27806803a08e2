#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/check: each check reports what breaks its rule, at its line, and nothing else."""

import importlib
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "check"))
import tree  # noqa: E402


class Check(unittest.TestCase):
    name = ""

    def lines(self, path, text):
        check = importlib.import_module(self.name)
        return sorted(fault.line for fault in check.find_faults(tree.File(path, text)))

    def assert_fine(self, path, text):
        self.assertEqual(self.lines(path, text), [])

    def assert_fault(self, path, text, line=1):
        self.assertEqual(self.lines(path, text), [line])


class CoAwaitHazards(Check):
    name = "co_await_hazards"

    def test_sample(self):
        text = (HERE / "samples" / "co_await_hazards.cpp").read_text(encoding="utf-8")
        lines = text.splitlines()
        marked = [number for number, line in enumerate(lines, start=1) if line.endswith("// fault")]
        marked += [number - 1 for number, line in enumerate(lines, start=1) if line.endswith("// fault-above")]
        self.assertGreater(len(marked), 10)
        self.assertEqual(self.lines("wire/net/sample.cpp", text), sorted(marked))


class InjectedSources(Check):
    name = "injected_sources"

    def test_what_becomes_data_asks_what_is_handed_in(self):
        self.assert_fine("shards/a.cpp", "clock.tick(); random.next(); std::chrono::steady_clock::now();\n")
        self.assert_fault("shards/a.cpp", "int a;\nstd::random_device device;\n", line=2)
        self.assert_fault("shards/a/b.h", "std::chrono::system_clock::now()\n")
        self.assert_fault("query/a.cpp", "int n = std::rand();\n")
        self.assert_fault("query/a.cpp", "std::time(nullptr)\n")

    def test_each_source_has_one_home(self):
        self.assert_fine("shards/log/clock.cpp", "std::chrono::system_clock::now()\n")
        self.assert_fine("commands/a.cpp", "std::chrono::system_clock::now()\n")


class IncludeDirection(Check):
    name = "include_direction"

    def test_down_the_house(self):
        self.assert_fine("commands/count.cpp", '#include "shards/a.h"\n#include "wire/b.h"\n#include <vector>\n')

    def test_up_the_house(self):
        self.assert_fault("wire/net/a.cpp", '#include "wire/b.h"\n# include "query/a.h"\n', line=2)
        self.assert_fault("shards/a.h", '#include "commands/a.h"')
        self.assert_fault("commands/a.h", '#include "tools/server/a.h"')

    def test_tests_may_look_everywhere_and_nobody_at_them(self):
        self.assert_fine("tests/wire/a_test.cpp", '#include "commands/a.h"\n#include "sample.h"\n')
        self.assert_fault("wire/a.cpp", '#include "tests/support/a.h"')

    def test_from_the_root(self):
        self.assert_fault("wire/bson/a.cpp", '#include "view.h"')
        self.assert_fault("wire/bson/a.cpp", '#include "../error/status.h"')

    def test_the_ground_floor(self):
        self.assert_fine("wire/bson/a.h", '#include "wire/error/status.h"')
        self.assert_fault("wire/bson/a.h", '#include "wire/net/listener.h"')
        self.assert_fault("wire/error/a.h", "#include <boost/asio/buffer.hpp>")


class LicenceLine(Check):
    name = "licence_line"
    line = "SPDX-License-Identifier: GPL-3.0-or-later"

    def test_there(self):
        self.assert_fine("wire/a.h", f"// {self.line}\n#pragma once\n")
        self.assert_fine("tools/a.py", f"# {self.line}\n")
        self.assert_fine("tools/run", f"#!/usr/bin/env bash\n# {self.line}\n")
        self.assert_fine("README.md", "# Partita\n")

    def test_missing(self):
        self.assert_fault("wire/a.h", "#pragma once\n")
        self.assert_fault("wire/a.h", "")
        self.assert_fault("wire/a.h", f"\n// {self.line}\n")
        self.assert_fault("tools/CMakeLists.txt", "project(x)\n")
        self.assert_fault("tools/run", "#!/usr/bin/env bash\nset -e\n", line=2)

    def test_another_licence(self):
        self.assert_fault("wire/a.h", "// SPDX-License-Identifier: MIT\n")


class FileNames(Check):
    name = "file_names"

    def test_good(self):
        for path in ("wire/bson/view.cpp", "tests/shell/show_dbs.js", "tools/run", "tools/cmake/WiredTiger.cmake",
                     ".ci/run", "wire/README.md", "CMakePresets.json", "tests/query/str_len_cp.test"):  # fmt: skip
            self.assert_fine(path, "")
        self.assert_fine("wire/a.h", "#pragma once\n")

    def test_bad(self):
        for path in ("wire/BsonView.cpp", "wire/bson-view.cpp", "wire/string_utils/Utils.cpp", "wire/bad name.cpp"):
            self.assert_fault(path, "")

    def test_names_without_a_concept(self):
        self.assert_fault("wire/utils.cpp", "")
        self.assert_fault("wire/common/a.cpp", "")

    def test_header_guard(self):
        self.assert_fault("wire/a.h", "#ifndef A_H\n#define A_H\n#endif\n")


class Words(Check):
    name = "words"

    def test_good(self):
        self.assert_fine("wire/a.cpp", "hacksaw, stubborn, toDo, build/release, /tmp/mongodb-27017.sock, ~/work/x\n")
        self.assert_fine("tools/run", "$HOME/.cache ${root}/root/x https://example.org/home/page\n")

    def test_unfinished(self):
        for word in ("TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK", "st" "ub", "Place" "holder"):
            self.assert_fault("wire/a.cpp", f"int a;\n// {word}: later\n", line=2)

    def test_this_machine(self):
        for path in ("/wo" "rk/main", "/ro" "ot/.cache", "/ho" "me/ada/src", "'/Us" "ers/ada'", "-I/tmp/w" "t/x"):
            self.assert_fault("CMakeLists.txt", f"include({path})\n")

    def test_hosts(self):
        for host in ("https://files.python" "hosted.org/x", "registry.npm" "js.org", "http://deb." "debian.org/debian"):
            self.assert_fault("tools/deps", f"fetch {host}\n")


class Tree(unittest.TestCase):
    def test_finds_this_file_and_no_sample(self):
        paths = [file.path for file in tree.files()]
        self.assertIn("tests/check/checks_test.py", paths)
        self.assertNotIn("tests/check/samples/co_await_hazards.cpp", paths)

    def test_blanks_comments_and_literals(self):
        code = 'a("x\\"{", \'{\', 1\'0) /* { \n */ + R"q({)")q" // {\n;'
        blank = tree.blank_literals(code)
        self.assertEqual(len(blank), len(code))
        self.assertEqual(blank.count("\n"), 2)
        self.assertNotIn("{", blank)
        self.assertIn("1'0", blank)
        self.assertTrue(blank.endswith("\n;"))


del Check  # The base has no cases of its own.

if __name__ == "__main__":
    unittest.main()
