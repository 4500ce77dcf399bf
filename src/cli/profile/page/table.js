// Tables that sort by a click on a column and show what the filter lets through; of two runs, beside each other.

/**
 * columns: {name, value(row), show, number, is_main}: of two runs a number is shown for both, and the main one's ratio
 * too. key(row) says which rows of the two are one; place(row) is its place in the source.
 */
function makeTable(title, rowsOfRuns, columns, key, place, page) {
  const joined = new Map();
  rowsOfRuns.forEach((rows, run) => {
    for (const row of rows) {
      const name = key(row);
      // Equal rows of a run stay apart: they differ in what is no column.
      let unique = name;
      for (let i = 2; joined.get(unique)?.[run]; ++i) unique = name + '\n' + i;
      if (!joined.has(unique)) joined.set(unique, []);
      joined.get(unique)[run] = row;
    }
  });
  const rows = [...joined.values()];
  if (rows.length === 0) return null;
  const runs = rowsOfRuns.length;
  const cells = []; // {name, number, get(rows of the runs), show}
  for (const column of columns) {
    if (!column.number) {
      cells.push({name: column.name, get: of => column.value(of.find(Boolean)), show: text => text, column});
      continue;
    }
    for (let run = 0; run < runs; ++run) {
      cells.push({
        name: column.name + (runs > 1 ? ' ' + page.runs[run].name : ''), number: true, is_main: column.is_main,
        get: of => of[run] ? column.value(of[run]) : 0,
        show: (value, of) => of[run] ? (value === 0 && column.show !== showCount ? '' : column.show(value)) : ''
      });
    }
    if (runs > 1 && column.is_main) {
      cells.push({
        name: 'ratio', number: true,
        get: of => !of[0] ? Infinity : !of[1] ? 0 : column.value(of[1]) / Math.max(column.value(of[0]), 1),
        show: (value, of) => !of[0] ? 'new' : !of[1] ? 'gone' : value.toFixed(2) + '×'
      });
    }
  }
  let sorted = Math.max(0, cells.findIndex(cell => cell.is_main));
  let descending = true;

  const body = make('tbody');
  const heads = cells.map((cell, i) => make('th', {class: cell.number && 'number'},
      make('button', {onclick: () => {
        descending = sorted === i ? !descending : Boolean(cell.number);
        sorted = i;
        fill();
      }}, cell.name)));
  const count = make('span', {class: 'faint'});

  function fill() {
    const {get} = cells[sorted];
    const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    rows.sort((a, b) => compare(get(a), get(b)) * (descending ? -1 : 1));
    heads.forEach((head, i) => head.setAttribute('aria-sort',
        i !== sorted ? 'none' : descending ? 'descending' : 'ascending'));
    const shown = rows.filter(of => page.lets(cells.map(cell => cell.number ? '' : cell.get(of)).join(' ')));
    const words = rows.length === 1 ? '1 row' : `${rows.length} rows`;
    count.textContent = shown.length < rows.length ? ` ${shown.length} of ${words}` : ` ${words}`;
    body.replaceChildren(...shown.map(of => {
      const where = place(of.find(Boolean));
      return make('tr', {class: where && page.selected === where && 'marked'},
          ...cells.map(cell => {
            const text = cell.show(cell.get(of), of);
            return make('td', {class: cell.number ? 'number' : 'code'},
                cell.column?.is_place && where ? page.link(where, text.split('/').pop()) : text);
          }));
    }));
  }
  fill();
  page.refreshed.push(fill);
  return make('section', {}, make('h2', {}, title, count),
      make('div', {class: 'scroll'}, make('table', {}, make('thead', {}, make('tr', {}, ...heads)), body)));
}
