// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "reproduce/page.hpp"

namespace numatch::reproduce {

namespace {

using json = nlohmann::ordered_json;

json number_or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json table_json(const page_table& table) {
  json rows = json::array();
  for (const page_row& row : table.rows) {
    json cells = json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      cells[table.columns[c]] = number_or_null(row.cells[c].percent);
    }
    rows.push_back({{"program", row.title}, {"mean", row.summary}, {"percent", cells}});
  }
  return {{"quantity", entry_of(table.what).key},
          {"label", entry_of(table.what).label},
          {"change", table.relative},
          {"rows", rows}};
}

json figure_json(const page_figure& figure) {
  return {{"mechanism", figure.published.mechanism},
          {"quantity", entry_of(figure.published.what).key},
          {"over", figure.published.over},
          {"published_percent", figure.published.percent},
          {"simulated_percent", number_or_null(figure.ours)},
          {"program", figure.of},
          {"where", figure.published.where}};
}

json matrix_json(const page_matrix& matrix) {
  json rows = json::array();
  for (std::size_t i = 0; i < matrix.sharing.size(); ++i) {
    json row = json::array();
    for (std::size_t j = 0; j < matrix.sharing.size(); ++j) {
      row.push_back(matrix.sharing.between(i, j));
    }
    rows.push_back(std::move(row));
  }
  return {{"program", matrix.program},
          {"detector", matrix.detector},
          {"correlation_with_oracle", number_or_null(matrix.like_oracle)},
          {"pairs", matrix.pairs},
          {"between_threads", rows}};
}

json sweep_json(const page_sweep& sweep) {
  json tables = json::array();
  for (const page_sweep_table& table : sweep.tables) {
    const quantity_entry& entry = entry_of(table.what);
    json lines = json::array();
    for (const page_sweep_table::line& line : table.lines) {
      json values = json::array();
      for (const std::optional<double>& value : line.values) {
        values.push_back(number_or_null(value));
      }
      lines.push_back({{"program", line.program}, {"run", line.run}, {"values", values}});
    }
    tables.push_back({{"quantity", entry.key},
                      {"label", entry.label},
                      {"change", entry.relative},
                      {"unit", entry.in_tables ? "percent" : "number"},
                      {"lines", lines}});
  }
  return {{"title", sweep.title},
          {"key", sweep.key},
          {"points", sweep.points},
          {"notes", sweep.notes},
          {"tables", tables}};
}

}  // namespace

std::string json_of(const page& made) {
  json papers = json::array();
  for (const page_paper& paper : made.papers) {
    json tables = json::array();
    for (const page_table& table : paper.tables) tables.push_back(table_json(table));
    json figures = json::array();
    for (const page_figure& figure : paper.figures) figures.push_back(figure_json(figure));
    json matrices = json::array();
    for (const page_matrix& matrix : paper.matrices) matrices.push_back(matrix_json(matrix));
    json sweeps = json::array();
    for (const page_sweep& sweep : paper.sweeps) sweeps.push_back(sweep_json(sweep));
    papers.push_back({{"name", paper.name},
                      {"title", paper.title},
                      {"machine", paper.machine},
                      {"notes", paper.notes},
                      {"tables", tables},
                      {"figures", figures},
                      {"sharing", matrices},
                      {"sweeps", sweeps}});
  }
  return json{{"title", made.title}, {"notes", made.notes}, {"papers", papers}}.dump(2) + "\n";
}

}  // namespace numatch::reproduce
