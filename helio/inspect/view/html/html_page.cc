#include "helio/inspect/view/html/html_page.h"

#include <fmt/format.h>

#include "helio/base/text/escape.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kOpenSectionsMax = 12;  // the others are folded at first
constexpr std::size_t kContentsMin = 3;       // fewer sections need no list

// The content security policy has this script's hash; a test compares them.
constexpr std::string_view kScript = R"(
const field = document.getElementById('search'), count = document.getElementById('count');
const items = [...document.querySelectorAll('.item')];
const texts = items.map(item => item.textContent.toLowerCase());
function search() {
  const wanted = field.value.toLowerCase();
  let shown = 0;
  items.forEach((item, i) => { item.hidden = !texts[i].includes(wanted); shown += !item.hidden; });
  count.textContent = wanted ? shown + ' of ' + items.length : '';
}
function fold(open) { document.querySelectorAll('details.item').forEach(one => { one.open = open; }); }
function follow() { const to = document.getElementById(location.hash.slice(1)); if (to) { to.open = true; to.scrollIntoView(); } }
field.addEventListener('input', search);
document.getElementById('open').addEventListener('click', () => fold(true));
document.getElementById('close').addEventListener('click', () => fold(false));
addEventListener('hashchange', follow);
follow();
document.getElementById('tools').hidden = items.length < 2;
document.getElementById('fold').hidden = !document.querySelector('details.item');
)";
constexpr std::string_view kScriptHash = "SFZovZ7ktHpZ/EJD0ZmDtY/mdf59iiFXGDRbn9km3SI=";

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'">
)";

constexpr std::string_view kStyle = R"(<style>
:root { color-scheme: light dark; --dim: #667; --line: #8883; --name: #046; --good: #063; --bad: #b00; --note: #850; }
@media (prefers-color-scheme: dark) { :root { --dim: #99a; --name: #8cf; --good: #8d8; --bad: #f77; --note: #fb5; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 84rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; color: var(--name); }
p { margin: .2rem 0; } .why { color: var(--dim); } .bad { color: var(--bad); } .slip { color: var(--note); }
.bold { font-weight: 600; } .good { color: var(--good); } .odd { color: var(--note); } .dim { color: var(--dim); }
#tools { position: sticky; top: 0; padding: .5rem 0; background: Canvas; border-bottom: 1px solid var(--line); }
#tools[hidden] { display: none; } #search { min-width: 18rem; } #count { color: var(--dim); margin: 0 .6rem; }
nav ol { columns: 28rem; font-size: 13px; padding-left: 2.5rem; } nav a { color: inherit; }
details.item { margin: .8rem 0; padding-left: .8rem; border-left: 3px solid var(--line); scroll-margin-top: 4rem; }
details.item > summary { font-weight: 600; color: inherit; font-size: 1.02rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; min-width: 60rem; table-layout: fixed; }
col.o { width: 4.5rem; } col.a { width: 10.5rem; } col.b { width: 7.5rem; } col.f { width: 24rem; } col.v { width: 16rem; }
td { padding: .1rem .9rem .1rem 0; vertical-align: top; border-top: 1px solid var(--line); }
td.o, td.b, td.f, pre { font-family: ui-monospace, monospace; font-size: 13px; white-space: pre; }
td.f { white-space: pre-wrap; overflow-wrap: anywhere; }
td.o { text-align: right; color: var(--dim); } td.v { font-weight: 600; overflow-wrap: anywhere; }
td.m { color: var(--good); overflow-wrap: anywhere; } tr.wrong td.b, tr.wrong td.v { color: var(--bad); }
summary { cursor: pointer; color: var(--dim); } pre { margin: .3rem 0; overflow-x: auto; }
pre span.line { display: block; } pre span.line[hidden] { display: none; }
@media print { #tools, nav { display: none; } }
</style>
)";

constexpr std::string_view kTools =
    R"(<div id="tools" hidden><input id="search" type="search" placeholder="Search" aria-label="Search"><span id="count"></span>
<span id="fold"><button id="open" type="button">Open all</button> <button id="close" type="button">Close all</button></span></div>
)";

// The colours of our own text views, by the number in their escape sequence.
std::string_view class_of(std::string_view number) {
    if (number == "1") return "bold";
    if (number == "2") return "dim";
    if (number == "31") return "bad";
    if (number == "32") return "good";
    if (number == "33") return "odd";
    return "";
}

// Our text views escape everything that came from a peer, so every sequence is their own.
void append_line(std::string& out, std::string_view line) {
    while (!line.empty()) {
        const std::size_t escape = line.find("\x1b[");
        append_html(out, line.substr(0, escape));
        if (escape == std::string_view::npos) return;
        line.remove_prefix(escape + 2);
        const std::size_t end = line.find('m');
        const std::string_view number = line.substr(0, end);
        out += number == "0" ? "</span>" : fmt::format("<span class=\"{}\">", class_of(number));
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
}

}  // namespace

HtmlPage::HtmlPage(std::string_view title) { append_html(title_, escaped(title)); }

void HtmlPage::begin_section(std::string_view heading) {
    ++sections_;
    contents_ += fmt::format("<li><a href=\"#m{}\">", sections_);
    append_html(contents_, heading);
    contents_ += "</a></li>\n";
    body_ += fmt::format("<details class=\"item\" id=\"m{}\"{}><summary>", sections_,
                         sections_ <= kOpenSectionsMax ? " open" : "");
    append_html(body_, heading);
    body_ += "</summary>\n";
}

void HtmlPage::end_section() { body_ += "</details>\n"; }

void HtmlPage::add_lines(std::string_view lines) {
    body_ += "<pre>";
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        const std::string_view line = lines.substr(0, end);
        body_ += "<span class=\"line item\">";
        append_line(body_, line.empty() ? " " : line);
        body_ += "</span>";
        lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
    body_ += "</pre>\n";
}

std::string HtmlPage::finish() {
    std::string out = fmt::format(kHead, kScriptHash);
    out += kStyle;
    out += fmt::format("<title>{0}</title></head><body>\n<h1>{0}</h1>\n", title_);
    out += kTools;
    if (sections_ >= kContentsMin)
        out += fmt::format(
            "<nav><details><summary>Contents: {} messages</summary><ol>\n{}</ol></details></nav>\n",
            sections_, contents_);
    out += body_;
    out += fmt::format("<script>{}</script>\n</body></html>\n", kScript);
    return out;
}

}  // namespace helio::inspect
