// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reproduce/results.hpp"

namespace numatch::reproduce {

/// A number of a table: a change against the baseline or a share, in percent.
struct page_cell {
  std::optional<double> percent;
  std::string instead;  ///< what stands there without a number, as "failed"
};

struct page_row {
  std::string title;
  std::vector<page_cell> cells;
  bool summary = false;  ///< a mean over the rows before
};

struct page_table {
  quantity what = quantity::time;
  bool relative = true;
  std::vector<std::string> columns;
  std::vector<page_row> rows;
};

/// A published figure with ours beside it.
struct page_figure {
  published_figure published;
  std::optional<double> ours;  ///< percent
  std::string of;              ///< which program, where it is the best one's
};

/// Who shares how much with whom, as one detector saw it.
struct page_matrix {
  std::string program;
  std::string detector;
  sharing_matrix sharing;
  std::optional<double> like_oracle;  ///< correlation with the oracle's
  std::size_t pairs = 0;              ///< that share anything, of all N (N - 1) / 2
};

/// One quantity of a sweep.
struct page_sweep_table {
  quantity what = quantity::time;
  struct line {
    std::string program;
    std::string run;  ///< empty where the quantity is of the program alone
    std::vector<std::optional<double>> values;  ///< one for each point; shares in percent
  };
  std::vector<line> lines;
};

struct page_sweep {
  std::string title;
  std::string key;
  std::vector<std::string> points;  ///< the values of the key
  std::vector<std::string> notes;
  std::vector<page_sweep_table> tables;
};

struct page_paper {
  std::string name;
  std::string title;
  std::string machine;
  std::vector<std::string> notes;  ///< whole sentences
  std::vector<page_table> tables;
  std::vector<page_figure> figures;
  std::vector<page_matrix> matrices;  ///< program by program
  std::vector<page_sweep> sweeps;
};

struct page {
  std::string title;
  std::vector<std::string> notes;
  std::vector<page_paper> papers;
};

/// The tables of the papers that were asked for. Equal results give equal pages.
page page_of(const suite_results& results);

std::string text_of(const page& made);
std::string json_of(const page& made);
std::string html_of(const page& made);

/// "-12.3 %" or "12.3 %" of a cell.
std::string cell_text(const page_cell& cell, bool relative);
/// The same of a value of a sweep, "1.23" where it is a number.
std::string value_text(std::optional<double> value, quantity what);

}  // namespace numatch::reproduce
