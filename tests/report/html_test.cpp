// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <gtest/gtest.h>

#include "report/page_data.hpp"
#include "report/page_template.hpp"
#include "report/samples.hpp"

namespace numatch::report {
namespace {

using namespace numatch::test;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

summary summary_of(const profile& p) {
  result<machine_choice> machine = choose_machine("numa:4 core:2 pu:1", p.threads.size());
  EXPECT_TRUE(machine.has_value());
  result<summary> s = summarise(p, std::move(*machine));
  EXPECT_TRUE(s.has_value());
  return std::move(*s);
}

TEST(escape_html, escapes_markup_and_quotes) {
  EXPECT_EQ(escape_html("<a href=\"x\" id='y'>&"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
}

TEST(escape_html, keeps_text_and_replaces_what_is_none) {
  EXPECT_EQ(escape_html("größe\t€😀"), "größe\t€😀");
  EXPECT_EQ(escape_html("a\x01"
                        "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(escape_html("\xff<"), "\xEF\xBF\xBD&lt;");
  EXPECT_EQ(escape_html("\xe2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "cut off";
  EXPECT_EQ(count(escape_html("\xc0\xbc"), "\xEF\xBF\xBD"), 2u) << "longer than needed";
  EXPECT_EQ(count(escape_html("\xed\xa0\x80"), "\xEF\xBF\xBD"), 3u) << "surrogate";
}

TEST(fill_template, fills_each_slot_once) {
  EXPECT_EQ(fill_template("{{a}}-{{b}}-{{a}}", {{"a", "{{b}}"}, {"b", "2"}}), "{{b}}-2-{{b}}");
}

TEST(fill_template, unknown_slots_become_empty_and_open_ones_stay) {
  EXPECT_EQ(fill_template("x{{none}}y{{open", {}), "xy{{open");
}

TEST(html_report, names_from_the_profile_add_no_element) {
  const profile hostile = hostile_sample();
  const std::string page = html_report(hostile, summary_of(hostile));
  EXPECT_EQ(count(page, "<script"), 2u);
  EXPECT_EQ(count(page, "</script"), 2u);
  EXPECT_EQ(count(page, "<img"), 0u);
  EXPECT_EQ(count(page, "<!--"), 1u) << "the licence line of the template";
}

TEST(html_report, loads_nothing) {
  const profile ring = ring_sample(8);
  const std::string page = html_report(ring, summary_of(ring));
  EXPECT_EQ(count(page, "https:"), 0u);
  EXPECT_EQ(count(page, "http:"), count(page, "'http://www.w3.org/2000/svg'"));
  EXPECT_EQ(count(page, "src="), 0u);
  EXPECT_EQ(count(page, "@import"), 0u);
  EXPECT_EQ(count(page, "url("), 0u);
}

TEST(html_report, every_slot_of_the_template_is_filled) {
  const profile ring = ring_sample(8);
  const std::string page = html_report(ring, summary_of(ring));
  EXPECT_EQ(count(page, "{{"), 0u);
  EXPECT_NE(page.find("Worth it: map the threads and place the pages."), std::string::npos);
}

TEST(page_data, leaves_the_matrix_out_where_it_would_be_too_fine_to_see) {
  const profile crowd = ring_sample(1025, 1);
  EXPECT_EQ(count(page_data(crowd, summary_of(crowd)), "\"matrix\":null"), 1u);
  const profile ring = ring_sample(8);
  EXPECT_EQ(count(page_data(ring, summary_of(ring)), "\"matrix\":null"), 0u);
}

TEST(page_data, may_stand_inside_a_script_element) {
  const profile hostile = hostile_sample();
  for (char c : page_data(hostile, summary_of(hostile))) {
    EXPECT_TRUE(c >= 0x20 && c < 0x7f && c != '<' && c != '>' && c != '&');
  }
}

}  // namespace
}  // namespace numatch::report
