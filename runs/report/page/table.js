/* table.js - tables of class sort: a click on the head of a column sorts the lines by it, a second click backwards.
 * Numbers are in data-v; cells without a number come last. The table can be read without it. */
(function () {
    'use strict';
    function value(row, column) {
        var cell = row.cells[column], text = cell.textContent;
        var number = cell.dataset.v === undefined ? NaN : Number(cell.dataset.v);
        return { text: text, number: number };
    }
    function compare(a, b) {
        if (isNaN(a.number) && isNaN(b.number))
            return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
        return isNaN(a.number) ? 1 : isNaN(b.number) ? -1 : a.number - b.number;
    }
    document.querySelectorAll('table.sort').forEach(function (table) {
        var body = table.tBodies[0], heads = Array.from(table.tHead.rows[0].cells);
        heads.forEach(function (head, column) {
            var button = document.createElement('button');
            button.type = 'button';
            button.textContent = head.textContent;
            head.replaceChildren(button);
            button.addEventListener('click', function () {
                var up = head.getAttribute('aria-sort') !== 'ascending';
                var rows = Array.from(body.rows).map(function (row) { return { row: row, key: value(row, column) }; });
                rows.sort(function (a, b) {
                    if (isNaN(a.key.number) !== isNaN(b.key.number))
                        return compare(a.key, b.key);
                    return up ? compare(a.key, b.key) : compare(b.key, a.key);
                });
                body.append.apply(body, rows.map(function (r) { return r.row; }));
                heads.forEach(function (h) { h.removeAttribute('aria-sort'); });
                head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
            });
        });
    });
}());
