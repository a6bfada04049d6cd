// SPDX-License-Identifier: Apache-2.0
// Draws the heat map, the machine and the page usage strip from the JSON of #data. Texts from the
// profile only ever become text nodes.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const n = data.threads.length;
  const state = { order: 'thread', scale: 'linear', mapping: 0, strip: 'all', colour: 'node' };
  const tip = document.getElementById('tip');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let printing = false;
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const isDark = () => dark.matches && !printing;

  // --- words and numbers ---------------------------------------------------------------------
  const threadName = (t) => (data.threads[t] ? `thread ${t} (${data.threads[t]})` : `thread ${t}`);
  const count = (x) => x.toLocaleString('en', { maximumFractionDigits: x < 100 ? 2 : 0 });
  const percent = (x) => {
    const p = 100 * x;
    if (p === 0) return '0 %';
    return p < 0.01 ? '< 0.01 %' : `${p.toFixed(p < 1 ? 2 : 1)} %`;
  };
  const short = (x) => {
    const units = ['', ' k', ' M', ' G', ' T', ' P'];
    let u = 0;
    while (x >= 999.5 && u + 1 < units.length) { x /= 1000; u += 1; }
    return (x < 10 && u ? x.toFixed(1) : Math.round(x)) + units[u];
  };
  const at = (i, j) => (data.matrix ? data.matrix[i * n + j] : 0);
  const between = (i, j) => at(i, j) + at(j, i);
  let total = 0;
  let highest = 0;
  let lowest = Infinity;
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      const both = between(i, j);
      total += both;
      highest = Math.max(highest, both);
      if (both > 0) lowest = Math.min(lowest, both);
    }
  }

  // --- colours -------------------------------------------------------------------------------
  const ramps = {
    light: [[246, 248, 252], [205, 220, 243], [133, 172, 224], [66, 117, 196], [30, 66, 145], [10, 27, 84]],
    dark: [[27, 32, 42], [32, 54, 90], [42, 90, 150], [66, 138, 204], [130, 190, 236], [232, 245, 255]],
  };
  const ramp = (x) => {
    const stops = isDark() ? ramps.dark : ramps.light;
    const place = Math.min(Math.max(x, 0), 1) * (stops.length - 1);
    const k = Math.min(Math.floor(place), stops.length - 2);
    return stops[k].map((c, i) => Math.round(c + (place - k) * (stops[k + 1][i] - c)));
  };
  const intensity = (amount) => {
    if (amount <= 0 || highest <= 0) return 0;
    if (state.scale === 'linear') return amount / highest;
    if (highest === lowest) return 1;
    return 0.12 + 0.88 * Math.log(amount / lowest) / Math.log(highest / lowest);
  };
  const nodes = data.machine.length;
  const mapping = () => data.mappings[state.mapping];
  const firstHues = [215, 28, 150, 322, 185, 0, 265, 52];  // told apart by most eyes, in this order
  const hueOf = (node) => (node < 8 ? firstHues[node] : (215 + 137.5 * node) % 360);
  const nodeColour = (node) => `hsl(${hueOf(node)} 60% ${isDark() ? 60 : 46}%)`;
  /// Threads of a node have its hue, a little apart from each other.
  const threadColour = (t) => {
    const node = mapping().node[t];
    const same = mapping().node.reduce((all, m, k) => (m === node ? [...all, k] : all), []);
    const place = same.length > 1 ? same.indexOf(t) / (same.length - 1) - 0.5 : 0;
    const spread = state.colour === 'thread' ? Math.min(60, 300 / Math.max(nodes, 2)) : 0;
    return `hsl(${(hueOf(node) + place * spread + 360) % 360} 60% ${(isDark() ? 60 : 46) + 16 * place}%)`;
  };

  // --- canvas and tooltip --------------------------------------------------------------------
  const prepare = (canvas, width, height) => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const g = canvas.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    return g;
  };
  const showTip = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18}px`;
  };
  const hideTip = () => { tip.hidden = true; };

  // --- heat map ------------------------------------------------------------------------------
  const heat = document.getElementById('heat');
  const heatSays = document.getElementById('heat-says');
  const margin = { left: 44, top: 30 };
  const cell = Math.max(1, Math.min(52, Math.floor(560 / n)));
  let order = [];
  let shown = null;  // [row, column] under the pointer or the keyboard
  const orderNow = () => {
    const ids = Array.from({ length: n }, (_, i) => i);
    if (state.order === 'pattern') return data.patternOrder;
    if (state.order === 'mapping') return ids.sort((a, b) => mapping().pu[a] - mapping().pu[b] || a - b);
    return ids;
  };
  const drawHeat = () => {
    if (!data.matrix) {
      heatSays.textContent = 'too many threads for a picture: see --json';
      heat.hidden = true;
      return;
    }
    order = orderNow();
    const size = cell * n;
    const g = prepare(heat, margin.left + size + 2, margin.top + size + 2);
    const image = new ImageData(n, n);
    order.forEach((a, row) => order.forEach((b, column) => {
      const rgb = a === b ? null : ramp(intensity(between(a, b)));
      image.data.set(rgb ? [...rgb, 255] : [128, 128, 128, 60], 4 * (row * n + column));
    }));
    const small = document.createElement('canvas');
    small.width = n;
    small.height = n;
    small.getContext('2d').putImageData(image, 0, 0);
    g.imageSmoothingEnabled = false;
    g.drawImage(small, margin.left, margin.top, size, size);
    g.fillStyle = style('--card');
    if (cell >= 10) {
      for (let k = 1; k < n; k += 1) {
        g.fillRect(margin.left + k * cell - 0.5, margin.top, 1, size);
        g.fillRect(margin.left, margin.top + k * cell - 0.5, size, 1);
      }
    }
    g.font = '11px system-ui, sans-serif';
    const step = [1, 2, 4, 8, 16, 32, 64, 128].find((s) => s * cell >= 18) || 256;
    order.forEach((t, k) => {
      g.fillStyle = nodeColour(mapping().node[t]);
      g.fillRect(margin.left - 7, margin.top + k * cell, 5, Math.max(cell - (cell > 3 ? 1 : 0), 1));
      g.fillRect(margin.left + k * cell, margin.top - 7, Math.max(cell - (cell > 3 ? 1 : 0), 1), 5);
      if (k % step) return;
      g.fillStyle = style('--soft');
      g.textBaseline = 'middle';
      g.textAlign = 'right';
      g.fillText(t, margin.left - 11, margin.top + (k + 0.5) * cell);
      g.textAlign = 'center';
      g.textBaseline = 'alphabetic';
      g.fillText(t, margin.left + (k + 0.5) * cell, margin.top - 11);
    });
    if (state.order === 'mapping') {
      g.fillStyle = style('--ink');
      for (let k = 1; k < n; k += 1) {
        if (mapping().node[order[k]] === mapping().node[order[k - 1]]) continue;
        g.fillRect(margin.left, margin.top + k * cell - 0.5, size, 1);
        g.fillRect(margin.left + k * cell - 0.5, margin.top, 1, size);
      }
    }
    if (shown) {
      g.strokeStyle = style('--fair');
      g.lineWidth = 2;
      g.strokeRect(margin.left + shown[1] * cell - 0.5, margin.top + shown[0] * cell - 0.5, cell + 1, cell + 1);
    }
    heat.dataset.order = order.join(' ');
    heat.dataset.left = margin.left;
    heat.dataset.top = margin.top;
    heat.dataset.cell = cell;
  };
  const describe = ([row, column]) => {
    const a = order[row];
    const b = order[column];
    if (a === b) return `${threadName(a)}\nnode ${mapping().node[a]}, PU ${mapping().pu[a]} by ${mapping().name}`;
    const both = between(a, b);
    const lines = [`${threadName(a)} and ${threadName(b)}`,
      `${count(both)} ${data.unit} (${data.how}), ${percent(total ? both / total : 0)} of all sharing`];
    if (at(a, b) !== at(b, a)) lines.push(`${a} of ${b}: ${count(at(a, b))}, ${b} of ${a}: ${count(at(b, a))}`);
    lines.push(mapping().node[a] === mapping().node[b]
      ? `both on node ${mapping().node[a]} by ${mapping().name}`
      : `nodes ${mapping().node[a]} and ${mapping().node[b]} by ${mapping().name}`);
    return lines.join('\n');
  };
  const show = (place, x, y) => {
    shown = place;
    drawHeat();
    heatSays.textContent = place ? describe(place).replaceAll('\n', '; ') : '';
    if (place) showTip(describe(place), x, y); else hideTip();
  };
  heat.addEventListener('pointermove', (event) => {
    const box = heat.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - margin.left) / cell);
    const row = Math.floor((event.clientY - box.top - margin.top) / cell);
    const inside = row >= 0 && column >= 0 && row < n && column < n;
    show(inside ? [row, column] : null, event.clientX, event.clientY);
  });
  heat.addEventListener('pointerleave', () => show(null));
  heat.addEventListener('blur', () => show(null));
  heat.addEventListener('keydown', (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move) return;
    event.preventDefault();
    const from = shown || [0, 0];
    const to = from.map((k, i) => Math.min(n - 1, Math.max(0, k + (shown ? move[i] : 0))));
    const box = heat.getBoundingClientRect();
    show(to, box.left + margin.left + (to[1] + 0.5) * cell, box.top + margin.top + (to[0] + 0.5) * cell);
  });
  const drawLegend = () => {
    const legend = document.getElementById('legend');
    if (!data.matrix) return;
    const colours = document.createElement('canvas');
    const g = prepare(colours, 110, 12);
    for (let x = 0; x < 110; x += 1) {
      g.fillStyle = `rgb(${ramp(x / 109).join(' ')})`;
      g.fillRect(x, 0, 1, 12);
    }
    const low = state.scale === 'log' && highest > 0 ? lowest : 0;
    legend.replaceChildren(short(low), colours, short(highest));
  };

  // --- machine -------------------------------------------------------------------------------
  const svg = (name, attributes, parent) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    if (parent) parent.append(element);
    return element;
  };
  const label = (parent, text, x, y, attributes = {}) => {
    svg('text', { x, y, 'font-size': 11, fill: style('--soft'), 'text-anchor': 'middle', ...attributes }, parent).textContent = text;
  };
  const hover = (element, text) => {
    element.addEventListener('pointermove', (event) => showTip(text, event.clientX, event.clientY));
    element.addEventListener('pointerleave', hideTip);
  };
  /// Places of everything in the machine: nodes in rows of at most eight, cores in a grid inside.
  const machineLayout = () => {
    const width = 1120;
    const perRow = Math.min(nodes, 8);
    const gap = 16;
    const nodeWidth = Math.min(260, (width - gap * (perRow - 1)) / perRow);
    const onPu = data.machine.flat(2).reduce((map, pu) => map.set(pu, []), new Map());
    mapping().pu.forEach((pu, t) => onPu.get(pu).push(t));
    const cores = Math.max(...data.machine.map((node) => node.length), 1);
    const pus = Math.max(...data.machine.flat().map((core) => core.length), 1);
    const columns = [1, 2, 3, 4, 6, 8, 10, 12, 16].find(
      (c) => c * c * pus >= cores * 0.9) || 16;
    const used = Math.min(columns, cores, Math.max(1, Math.floor((nodeWidth - 16) / (pus * 22 + 8))));
    const rows = Math.ceil(cores / used);
    const coreWidth = (nodeWidth - 16 - 6 * (used - 1)) / used;
    const puHeight = 16 + 13 * Math.max(...[...onPu.values()].map((list) => Math.min(list.length, 4)), 1);
    const nodeHeight = 30 + rows * (puHeight + 12 + 6) + 4;
    const start = (width - perRow * nodeWidth - (perRow - 1) * gap) / 2;
    return { width, perRow, gap, nodeWidth, onPu, used, coreWidth, puHeight, nodeHeight, start };
  };
  const acrossNodes = () => {
    const shared = new Map();
    for (let i = 0; i < n; i += 1) {
      for (let j = i + 1; j < n; j += 1) {
        const [a, b] = [mapping().node[i], mapping().node[j]].sort((x, y) => x - y);
        const key = a * nodes + b;
        shared.set(key, (shared.get(key) || 0) + between(i, j));
      }
    }
    return shared;
  };
  const leastArc = 0.0005;  // of all sharing
  const drawArcs = (parent, l, shared, base) => {
    const middle = (node) => l.start + node * (l.nodeWidth + l.gap) + l.nodeWidth / 2;
    shared.forEach((amount, key) => {
      const [a, b] = [Math.floor(key / nodes), key % nodes];
      const share = total ? amount / total : 0;
      if (a === b || share < leastArc) return;
      const [from, to] = [middle(a) + 10, middle(b) - 10];
      const height = 16 + 26 * (b - a);
      const thick = Math.max(1, 26 * Math.sqrt(share));
      const arc = svg('path', {
        d: `M${from} ${base} C${from} ${base - height * 1.3} ${to} ${base - height * 1.3} ${to} ${base}`,
        fill: 'none', stroke: style('--accent'), 'stroke-opacity': 0.6,
        'stroke-width': thick,
      }, parent);
      hover(arc, `nodes ${a} and ${b}: ${count(amount)} ${data.unit}\n${percent(share)} of all sharing`);
      label(parent, percent(share), (from + to) / 2, base - 0.975 * height - thick / 2 - 4, { fill: style('--ink') });
    });
  };
  const drawNode = (parent, l, node, x, y, inside) => {
    svg('rect', { x, y, width: l.nodeWidth, height: l.nodeHeight, rx: 8, fill: 'none', stroke: nodeColour(node), 'stroke-width': 2 }, parent);
    label(parent, `node ${node}`, x + 9, y + 19, { 'text-anchor': 'start', 'font-weight': 650, 'font-size': 13, fill: nodeColour(node) });
    if (l.nodeWidth > 120) {
      label(parent, `${percent(inside)} of the sharing`, x + l.nodeWidth - 9, y + 19, { 'text-anchor': 'end' });
    }
    data.machine[node].forEach((core, k) => {
      const cx = x + 8 + (k % l.used) * (l.coreWidth + 6);
      const cy = y + 30 + Math.floor(k / l.used) * (l.puHeight + 18);
      svg('rect', { x: cx, y: cy, width: l.coreWidth, height: l.puHeight + 12, rx: 5, fill: 'none', stroke: style('--line') }, parent);
      const w = (l.coreWidth - 4) / core.length;
      core.forEach((pu, p) => {
        const here = l.onPu.get(pu);
        const px = cx + 2 + p * w;
        const box = svg('rect', { x: px + 1, y: cy + 3, width: w - 2, height: l.puHeight + 6, rx: 4,
          fill: here.length ? nodeColour(node) : style('--pu'), 'fill-opacity': here.length ? 0.24 : 1 }, parent);
        const names = here.map(threadName).join(', ') || 'idle';
        hover(box, `PU ${pu}, node ${node}: ${names}`);
        here.slice(0, here.length > 4 ? 3 : 4).forEach((t, line) => {
          label(parent, t, px + w / 2, cy + 18 + 13 * line, { fill: style('--ink'), 'font-weight': 650, 'font-size': 13, 'pointer-events': 'none' });
        });
        if (here.length > 4) label(parent, `+${here.length - 3}`, px + w / 2, cy + 18 + 39, { 'pointer-events': 'none' });
        if (w > 15) label(parent, `PU ${pu}`.slice(w > 38 ? 0 : 3), px + w / 2, cy + l.puHeight + 5, { 'font-size': 9, 'pointer-events': 'none' });
      });
    });
  };
  const drawMachine = () => {
    const l = machineLayout();
    const oneRow = nodes <= l.perRow;
    const shared = acrossNodes();
    const spans = [...shared].filter(([, amount]) => amount >= leastArc * total)
      .map(([key]) => (key % nodes) - Math.floor(key / nodes));
    const arcs = oneRow && nodes > 1 ? 48 + 26 * Math.max(...spans, 0) : 0;
    const rows = Math.ceil(nodes / l.perRow);
    const height = arcs + rows * (l.nodeHeight + l.gap);
    const picture = svg('svg', { viewBox: `0 0 ${l.width} ${height}`, role: 'img', 'aria-label': `Threads on the machine by ${mapping().name}` });
    if (arcs) drawArcs(picture, l, shared, arcs);
    for (let node = 0; node < nodes; node += 1) {
      const x = l.start + (node % l.perRow) * (l.nodeWidth + l.gap);
      const y = arcs + Math.floor(node / l.perRow) * (l.nodeHeight + l.gap);
      drawNode(picture, l, node, x, y, total ? (shared.get(node * nodes + node) || 0) / total : 0);
    }
    document.getElementById('machine').replaceChildren(picture);
  };

  // --- page usage strip ----------------------------------------------------------------------
  const stripCanvas = document.getElementById('strip');
  const stripMargin = 118;
  let stripLayout = null;
  const drawStrip = () => {
    const strip = data.strips[state.strip];
    const [rows, columns] = [strip.rows.length, strip.columns.length];
    const room = Math.max(300, Math.min(1126, stripCanvas.parentElement.clientWidth) - stripMargin);
    const height = rows ? Math.max(2, Math.min(26, Math.floor(360 / rows))) : 0;
    const width = columns ? room / columns : 0;
    const axis = document.getElementById('strip-axis');
    const g = prepare(stripCanvas, stripMargin + room, Math.max(rows * height, 1));
    axis.replaceChildren();
    stripLayout = { rows, columns, height, width, cells: new Map() };
    if (!rows) { axis.textContent = 'no such pages'; return; }
    strip.cells.forEach((c) => {
      stripLayout.cells.set(c[0] * columns + c[1], c);
      g.globalAlpha = 0.15 + 0.85 * Math.max(0, (c[3] - 1 / Math.max(c[5], 2)) / (1 - 1 / Math.max(c[5], 2)));
      g.fillStyle = state.colour === 'node' ? nodeColour(mapping().node[c[2]]) : threadColour(c[2]);
      const [left, right] = [c[1], c[1] + 1].map((k) => Math.round(k * width));
      g.fillRect(stripMargin + left, c[0] * height, right - left, height);
    });
    g.globalAlpha = 1;
    g.font = '10.5px ui-monospace, monospace';
    g.textAlign = 'right';
    g.textBaseline = 'top';
    let labelled = -20;
    strip.rows.forEach((row, k) => {
      const gap = strip.gaps.includes(k);
      if (gap) {
        g.fillStyle = style('--soft');
        g.fillRect(stripMargin - 6, k * height - 0.5, room + 6, 1);
      }
      if ((gap || k === 0) && k * height - labelled >= 13) {
        g.fillStyle = style('--soft');
        g.fillText(row[0], stripMargin - 9, k * height + 1);
        labelled = k * height;
      }
    });
    const first = strip.columns[0][0];
    const last = strip.columns[columns - 1][1];
    [0, 0.25, 0.5, 0.75, 1].forEach((part) => {
      const mark = document.createElement('span');
      mark.textContent = short(first + part * (last - first)) + (part === 1 ? ` ${data.timeUnit}` : '');
      axis.append(mark);
    });
    stripCanvas.dataset.rows = rows;
    stripCanvas.dataset.columns = columns;
  };
  stripCanvas.addEventListener('pointermove', (event) => {
    const box = stripCanvas.getBoundingClientRect();
    const strip = data.strips[state.strip];
    const row = Math.floor((event.clientY - box.top) / stripLayout.height);
    const column = Math.floor((event.clientX - box.left - stripMargin) / stripLayout.width);
    if (!strip.rows[row] || !strip.columns[column]) { hideTip(); return; }
    const c = stripLayout.cells.get(row * stripLayout.columns + column);
    const [first, last, pages] = strip.rows[row];
    const lines = [`${first} to ${last} (${count(pages)} ${pages === 1 ? 'page' : 'pages'})`,
      `${data.timeUnit} ${short(strip.columns[column][0])} to ${short(strip.columns[column][1])}`];
    lines.push(c ? `${count(c[4])} accesses (${data.how}), ${percent(c[3])} by ${threadName(c[2])}` : 'not used');
    if (c) lines.push(`${c[5] === 1 ? 'no other thread' : `${c[5]} threads`}; node ${mapping().node[c[2]]} by ${mapping().name}`);
    showTip(lines.join('\n'), event.clientX, event.clientY);
  });
  stripCanvas.addEventListener('pointerleave', hideTip);

  // --- cache lines and chips -----------------------------------------------------------------
  const drawLines = () => {
    document.querySelectorAll('svg.line').forEach((picture) => {
      const parts = data.falseSharing[picture.dataset.line];
      picture.replaceChildren();
      for (let byte = 0; byte < 64; byte += 1) {
        const has = (mask) => (BigInt(`0x${mask}`) >> BigInt(byte)) & 1n;
        const writer = parts.find((p) => has(p[2]));
        const user = writer || parts.find((p) => has(p[1]));
        svg('rect', { x: byte * 4, y: 0, width: 3.4, height: 14, rx: 0.8,
          fill: user ? threadColour(user[0]) : style('--pu'), 'fill-opacity': writer || !user ? 1 : 0.4 }, picture);
      }
    });
    document.querySelectorAll('.chip').forEach((chip) => {
      const node = mapping().node[chip.dataset.thread];
      chip.style.boxShadow = node === undefined ? '' : `inset 0 -3px ${nodeColour(node)}`;
    });
  };

  // --- everything together -------------------------------------------------------------------
  const draw = () => {
    document.querySelectorAll('button').forEach((button) => {
      const [[kind, value]] = Object.entries(button.dataset);
      button.setAttribute('aria-pressed', String(state[kind] === value));
    });
    drawHeat();
    drawLegend();
    drawMachine();
    drawStrip();
    drawLines();
  };
  document.querySelectorAll('button').forEach((button) => button.addEventListener('click', () => {
    Object.assign(state, button.dataset);
    draw();
  }));
  const select = document.getElementById('mapping');
  data.mappings.forEach((m, k) => select.append(new Option(m.name, k)));
  select.addEventListener('change', () => {
    state.mapping = Number(select.value);
    draw();
  });
  dark.addEventListener('change', draw);
  addEventListener('resize', drawStrip);
  addEventListener('beforeprint', () => { printing = true; draw(); });
  addEventListener('afterprint', () => { printing = false; draw(); });
  document.documentElement.classList.add('scripted');
  draw();
})();
