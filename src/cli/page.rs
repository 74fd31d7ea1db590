//! HTML pages that need no network: one file, its style inside.

use crate::chart::escaped;

/// A whole page; `body` is HTML.
pub(super) fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         {body}\n</body>\n</html>\n"
    )
}

/// A table; the first `left` columns hold words, the others numbers. Cells are
/// HTML already.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let class = |column: usize| if column < left { "" } else { " class=\"n\"" };
    let cells = |tag: &str, row: &[String]| {
        let cells = row.iter().enumerate();
        let cells = cells.map(|(column, cell)| format!("<{tag}{}>{cell}</{tag}>", class(column)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let headings: Vec<String> = headings.iter().map(|it| escaped(it)).collect();
    let body: String = rows.iter().map(|row| cells("td", row)).collect();
    let head = cells("th", &headings);
    format!(
        "<div class=\"wide\"><table>\n<thead>{head}</thead>\n<tbody>{body}</tbody>\n</table></div>\n"
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:66rem;padding:0 1rem}\
h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.5rem;overflow-wrap:anywhere}\
h3{font-size:1rem;margin:1.5rem 0 .3rem}\
.wide{overflow-x:auto}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .7rem;text-align:left;border-bottom:1px solid #8884;vertical-align:top}\
th{font-weight:600}td.n,th.n{text-align:right}\
.plots{display:flex;flex-wrap:wrap;gap:1rem}.plots svg{max-width:100%;height:auto}\
.strip img{max-width:100%;height:auto;border-radius:6px}\
.quiet{opacity:.7}\
@media print{body{max-width:none;margin:0}h2{break-after:avoid}svg,img{break-inside:avoid}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        let name = "<script>alert('x')</script>&\"\u{7}";
        let shown = page(name, &table(&["file"], &[vec![escaped(name)]], 1));
        assert!(
            !shown.contains("<script>") && !shown.contains('\u{7}'),
            "{shown}"
        );
        assert!(shown.contains("&lt;script&gt;alert('x')&lt;/script&gt;&amp;&quot;"));
    }
}
