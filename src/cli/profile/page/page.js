// What is on the page, and what leads from one part of it to another: a place in the source is selected, and the
// advice, the tables, the timelines and the source show it.

class Page {
  constructor(runs) {
    this.runs = runs;
    this.selected = null; // a place: "src/app.cpp:31"
    this.filter = '';
    this.refreshed = []; // what draws itself again when these change
    this.timelines = runs.map(run => new Timeline(run, this));
    this.fileOf = new Map(); // the source's text by file
    for (const run of runs) {
      for (const [file, text] of Object.entries(run.sources)) this.fileOf.set(file, text);
    }
  }

  /** Whether the filter lets a row with that text through. */
  lets(text) {
    return text.toLowerCase().includes(this.filter);
  }

  refresh() {
    for (const refresh of this.refreshed) refresh();
    for (const timeline of this.timelines) timeline.soon();
  }

  /** Selects a place, or none. The keyboard stays where it was, though rows are made anew. */
  select(place) {
    this.selected = this.selected === place ? null : place;
    const section = document.activeElement?.closest('section');
    const {name} = document.activeElement?.dataset ?? {};
    this.refresh();
    if (name && !document.activeElement?.dataset.name) {
      Array.from(section.querySelectorAll('[data-name]')).find(link => link.dataset.name === name)?.focus();
    }
    if (this.selected) for (const timeline of this.timelines) timeline.show(place);
  }

  link(place, text = place) {
    return make('button', {class: 'link', title: place, 'data-name': place, onclick: () => this.select(place)}, text);
  }

  /** A table's rows of each run, in the order of their lines. */
  rows(table) {
    const line = row => Number((row.position || '').split(':').pop()) || 0;
    return this.runs.map(run => run.processes.flatMap(process => process[table].map(row => ({...row, process})))
        .sort((a, b) => line(a) - line(b)));
  }

  /** The column that says which process a row is of, where a run has several. */
  processColumn() {
    return this.runs.some(run => run.processes.length > 1)
        ? [{name: 'process', value: row => `${row.process.program.split('/').pop()} ${row.process.process}`}] : [];
  }

  heads() {
    return this.runs.map((run, i) => make('div', {}, ...run.processes.flatMap(process => [
      make('h1', {}, this.runs.length > 1 ? run.name + ': ' : '', process.program.split('/').pop()),
      make('p', {class: 'faint'}, `process ${process.process} ${process.ending}; ${showTime(process.total_ns)}; ` +
          `${showCount(process.events)} events` +
          (process.dropped_events ? `; ${showCount(process.dropped_events)} more found no room` : '')),
      ...process.failures.map(failure => make('p', {class: 'failure'}, failure)),
      ...(process.missing_devices || []).map(missing => make('p', {class: 'failure'}, 'no device: ' + missing)),
      process.damaged_records ? make('p', {class: 'failure'},
          `${showCount(process.damaged_records)} records are damaged and left out`) : ''
    ])));
  }

  totals() {
    const parts = [['kernel_ns', 'kernel', 'kernels'], ['copy_ns', 'to', 'copies'], ['wait_ns', 'wait', 'waiting'],
      ['runtime_ns', 'construct', 'runtime']];
    const sums = this.runs.map(run => Object.fromEntries(['in_constructs_ns', ...parts.map(([name]) => name)]
        .map(name => [name, run.processes.reduce((sum, process) => sum + process[name], 0)])));
    const whole = this.runs.map(run => run.length || Math.max(...run.processes.map(process => process.total_ns)));
    const longest = Math.max(1, ...sums.map(sum => sum.in_constructs_ns));
    return make('section', {}, make('h2', {}, 'Time in constructs'), ...sums.flatMap((sum, i) => [
      make('p', {}, this.runs.length > 1 ? this.runs[i].name + ': ' : '',
          `${showTime(sum.in_constructs_ns)}, of all threads together, in a run of ${showTime(whole[i])}: `,
          parts.map(([name, , title]) => `${title} ${showTime(sum[name])}`).join(', ')),
      make('div', {class: 'bar'}, ...parts.map(([name, colour]) =>
          make('span', {style: `background:var(--${colour});width:${100 * sum[name] / longest}%`})))
    ]));
  }

  advice() {
    const list = make('div');
    const all = [];
    const key = row => `${row.id} ${row.variable}`;
    this.rows('advice').forEach((rows, run) => rows.forEach(row => all.push({row, run})));
    const has = (run, row) => all.some(other => other.run === run && key(other.row) === key(row));
    const fill = () => list.replaceChildren(...all
        .filter(({row}) => this.lets(`${row.id} ${row.text} ${row.change} ${row.position}`))
        .map(({row, run}) => make('div', {class: 'advice' + (this.runs.length > 1 && !has(1, row) ? ' gone' : '') +
            (row.position && row.position === this.selected ? ' marked' : '')},
            make('span', {class: 'saves'}, row.saves_ns > 0 ? showTime(row.saves_ns) : showBytes(row.saves_bytes)),
            this.runs.length > 1 ? make('b', {}, this.runs[run].name + ': ') : '',
            row.position ? this.link(row.position, row.position.split('/').pop()) : '', ' ', row.text, make('br'),
            make('span', {class: 'code'}, row.change))));
    fill();
    this.refreshed.push(fill);
    const unsought = this.runs.flatMap(run => run.processes.flatMap(process => process.not_looked_for));
    return make('section', {}, make('h2', {}, 'Advice'), list,
        all.length === 0 ? make('p', {class: 'faint'}, 'None.') : '',
        unsought.length ? make('p', {class: 'faint'},
            'Not looked for without --data: ' + [...new Set(unsought)].join(', ')) : '');
  }

  tables() {
    const where = {name: 'place', value: row => row.position || row.function || '', is_place: true};
    const time = (name, member, is_main) => ({name, number: true, show: showTime, value: row => row[member], is_main});
    const count = (name, member) => ({name, number: true, show: showCount, value: row => row[member]});
    const bytes = (name, member, is_main) => ({name, number: true, show: showBytes, value: row => row[member], is_main});
    const place = row => row.position || null;
    return [
      makeTable('Regions', this.rows('regions'), [
        ...this.processColumn(), where, {name: 'construct', value: row => row.construct + (row.nowait ? ' nowait' : '')},
        time('time', 'ns', true), count('calls', 'calls'), time('kernels', 'kernel_ns'), time('copies', 'copy_ns'),
        time('waiting', 'wait_ns'), time('runtime', 'runtime_ns')
      ], row => `${row.construct} ${row.function || row.position.replace(/:\d+$/, '')}`, place, this),
      makeTable('Copies', this.rows('copies'), [
        ...this.processColumn(),
        {name: 'variable', value: row => row.variable || (row.kind === 'item' ? 'without a name' : row.kind)},
        {name: 'direction', value: row => row.to_device ? 'to device' : 'from device'},
        {name: 'clause', value: row => row.clause}, where,
        bytes('bytes', 'bytes', true), count('calls', 'calls'), time('time', 'ns')
      ], row => `${row.variable} ${row.kind} ${row.to_device}`, place, this),
      makeTable('Devices', this.rows('devices'), [
        ...this.processColumn(),
        {name: 'device', value: row => row.label + (row.lost ? `, lost: ${row.lost}` : '')}, count('kernels', 'kernels'),
        time('in kernels', 'kernel_ns', true), time('in copies', 'copy_ns'), time('in both', 'overlap_ns'),
        time('idle', 'idle_ns'), bytes('most mapped', 'peak_bytes'), time('longest gap', 'longest_gap_ns'),
        {name: 'after', value: row => row.longest_gap_after}
      ], row => row.label, () => null, this),
      makeTable('Mapped when most was', this.runs.map(run => run.processes.flatMap(process => process.devices
          .flatMap(device => device.peak.map(part => ({...part, label: device.label, process}))))), [
        ...this.processColumn(),
        {name: 'variable', value: row => row.variable || 'without a name'}, {name: 'device', value: row => row.label},
        where, bytes('bytes', 'bytes', true)
      ], row => `${row.label} ${row.variable}`, place, this)
    ];
  }

  source() {
    if (this.fileOf.size === 0) return null;
    const times = new Map();
    const used = new Set();
    for (const row of this.rows('regions').flat()) {
      times.set(row.position, (times.get(row.position) || 0) + row.ns);
    }
    for (const table of ['regions', 'copies', 'advice']) for (const row of this.rows(table).flat()) used.add(row.position);
    const lines = make('div', {class: 'source code', tabindex: 0});
    const files = make('select', {'aria-label': 'Source file', onchange: () => fill()},
        ...[...this.fileOf.keys()].map(file => make('option', {}, file)));
    let filled = null;
    const fill = () => {
      if (filled !== files.value) {
        filled = files.value;
        lines.replaceChildren(...this.fileOf.get(filled).split('\n').map((text, i) => {
          const place = `${filled}:${i + 1}`;
          const choose = () => this.select(place);
          return make('div', used.has(place) ? {
            'data-place': place, class: 'used', tabindex: 0, role: 'button', onclick: choose,
            onkeydown: event => { if (event.key === 'Enter') choose(); }
          } : {},
          make('span', {class: 'time'}, times.has(place) ? showTime(times.get(place)) : ''),
          make('span', {class: 'number'}, String(i + 1)), make('span', {}, text));
        }));
      }
      for (const line of lines.children) {
        line.classList.toggle('marked', this.selected !== null && line.dataset.place === this.selected);
      }
    };
    fill();
    this.refreshed.push(() => {
      const file = this.selected?.replace(/:\d+$/, '');
      if (this.fileOf.has(file)) files.value = file;
      fill();
      const line = lines.querySelector('.marked');
      if (line) lines.scrollTop = line.offsetTop - lines.offsetTop - lines.clientHeight / 2;
    });
    return make('section', {}, make('h2', {}, 'Source'), make('nav', {}, files), lines);
  }

  build() {
    const filter = make('input', {type: 'search', placeholder: 'Filter by variable, place or words',
      'aria-label': 'Filter', oninput: event => {
        this.filter = event.target.value.toLowerCase();
        this.refresh();
      }});
    const legend = [['construct', 'construct'], ['kernel', 'kernel'], ['to', 'copy to device'],
      ['from', 'copy from device'], ['wait', 'the host waits'], ['image', 'image is loaded']];
    document.body.append(make('main', {}, ...this.heads(), this.totals(), make('nav', {}, filter), this.advice(),
        make('section', {}, make('h2', {}, 'Timeline'), make('p', {class: 'legend faint'},
            ...legend.flatMap(([colour, text]) => [make('span', {style: `background:var(--${colour})`}), text])),
        ...this.timelines.flatMap((timeline, i) =>
            [this.runs.length > 1 ? make('p', {}, this.runs[i].name) : '', timeline.element])),
        ...this.tables().filter(Boolean), this.source() ?? ''));
  }
}

let page = null;
try {
  page = new Page(readRuns());
  page.build();
  document.body.dataset.ready = String(Math.round(performance.now())); // ms since the browser began with the page
} catch (error) {
  document.body.append(make('p', {class: 'failure'}, `This page is damaged, or this browser is too old for it: ${error}`));
}
