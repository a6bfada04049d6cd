// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace numatch::report {

/// The files of report/page, embedded by the build.
std::string_view page_template_html();
std::string_view page_template_css();
std::string_view page_template_js();

/// `frame` with each {{name}} replaced by slots.at(name); what is put in is not looked at again,
/// and a name without a slot becomes empty.
std::string fill_template(std::string_view frame, const std::map<std::string, std::string>& slots);

/// Text for an HTML element or a quoted attribute: markup characters are escaped, control
/// characters and bytes that are not UTF-8 become U+FFFD.
std::string escape_html(std::string_view text);

}  // namespace numatch::report
