// What is wrong with a page in a window of a width, light or dark: a list of sentences.
(width, dark) => {
  const wrong = [];
  const root = document.documentElement;
  if (root.scrollWidth > width) wrong.push(`the page is ${root.scrollWidth} px wide`);
  for (const element of document.querySelectorAll('main *')) {
    if (element.closest('.scroll')) continue;
    const box = element.getBoundingClientRect();
    if (box.right > width + 0.5 || box.left < -0.5) wrong.push(`<${element.tagName}> reaches from ${box.left} to ${box.right}`);
  }
  for (const box of document.querySelectorAll('.scroll')) {
    if (box.getBoundingClientRect().right > width) wrong.push('a table is not held by what scrolls it');
  }
  const apart = (labels, where) => {
    for (let one = 0; one < labels.length; one++) for (let other = one + 1; other < labels.length; other++) {
      const [a, b] = [labels[one], labels[other]].map(label => label.getBoundingClientRect());
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 0.5 && down > 2) wrong.push(`'${labels[one].textContent}' and '${labels[other].textContent}' overlap in ${where}`);
    }
  };
  const charts = [...document.querySelectorAll('.bars, .columns')];
  for (const [number, chart] of charts.entries()) {
    const [whole, where] = [chart.getBoundingClientRect(), `chart ${number}`];
    if (whole.width < 200 || whole.height < 12) wrong.push(`${where} has ${whole.width} x ${whole.height} px`);
    const bars = [...chart.querySelectorAll('rect')];
    if (bars.length === 0) wrong.push(`${where} shows nothing`);
    for (const bar of bars) {
      const box = bar.getBoundingClientRect();
      const zero = parseFloat(bar.getAttribute('height')) === 0 || parseFloat(bar.getAttribute('width')) === 0;
      if (!zero && (box.width < 0.9 || box.height < 0.9)) wrong.push(`a bar of ${where} has ${box.width} x ${box.height} px`);
      if (box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1) wrong.push(`a bar leaves ${where}`);
    }
    const lengths = bars.map(bar => bar.closest('.columns') ? bar.getBoundingClientRect().height : bar.getBoundingClientRect().width);
    if (Math.max(...lengths) < 100) wrong.push(`the longest bar of ${where} has ${Math.max(...lengths)} px`);
    const labels = [...chart.querySelectorAll('text, b, figcaption')].filter(label => label.getClientRects().length);
    for (const label of labels) {
      const box = label.getBoundingClientRect();
      if (box.left < whole.left - 1 || box.right > whole.right + 1) wrong.push(`'${label.textContent}' leaves ${where}`);
      if (box.height < 11) wrong.push(`'${label.textContent}' in ${where} is ${box.height} px high`);
    }
    apart(labels, where);
  }
  apart([...document.querySelectorAll('.legend li')], 'the legend');
  apart([...document.querySelectorAll('.pieces li')], 'a list');
  const parts = colour => { const [r, g, b] = colour.match(/[\d.]+/g).map(Number); return [r, g, b]; };
  const light = colour => parts(colour).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const ground = getComputedStyle(document.body).backgroundColor;
  if (light(ground) > 0.5 === dark) wrong.push(`the ground is ${ground}`);
  for (const element of document.querySelectorAll('h1, h2, p, td, th, dt, dd, li, li small, caption, .piece, .bars b, figcaption, summary')) {
    const paint = getComputedStyle(element).color;
    if (contrast(paint, ground) < 4.5) { wrong.push(`<${element.tagName}> has ${paint} on ${ground}`); break; }
  }
  for (const label of document.querySelectorAll('svg text')) {
    const paint = getComputedStyle(label).fill;
    if (contrast(paint, ground) < 4.5) { wrong.push(`a label has ${paint} on ${ground}`); break; }
  }
  for (const bar of document.querySelectorAll('.bars rect, .columns rect, .legend i')) {
    const paint = bar.tagName === 'I' ? getComputedStyle(bar).backgroundColor : getComputedStyle(bar).fill;
    if (contrast(paint, ground) < 3) { wrong.push(`a bar has ${paint} on ${ground}`); break; }
  }
  return [...new Set(wrong)].slice(0, 20);
}
