/* Shows the book and the trades, and again after every block that changed something. It reads the HTTP API of the node. */

async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

function show(id, columns, rows) {
  const table = document.getElementById(id);
  const row = (tag, values) => {
    const line = document.createElement('tr');
    for (const value of values) {
      const cell = document.createElement(tag);
      cell.textContent = String(value);
      line.append(cell);
    }
    return line;
  };
  const body = document.createElement('tbody');
  body.append(
    ...rows.map((each) =>
      row(
        'td',
        columns.map((column) => each[column]),
      ),
    ),
  );
  const head = document.createElement('thead');
  head.append(row('th', columns));
  table.replaceChildren(table.caption, head, body);
}

async function refresh() {
  const [{ bids, asks }, { trades }, { bid, ask }] = await Promise.all([
    read('v1/depth'),
    read('v1/trade-list'),
    read('v1/best'),
  ]);
  show('asks', ['price', 'left', 'order'], asks);
  show('bids', ['price', 'left', 'order'], bids);
  show('trades', ['price', 'amount', 'block'], trades);
  document.getElementById('state').textContent = `Best bid ${bid ?? 'none'}, best ask ${ask ?? 'none'}`;
}

const fail = (error) => {
  document.getElementById('state').textContent = String(error);
};
const blocks = new EventSource('v1/streams/blocks');
blocks.onopen = () => refresh().catch(fail);
blocks.onerror = () => fail('The node is away');
blocks.addEventListener('block', ({ data }) => {
  if (JSON.parse(data).executed > 0) refresh().catch(fail);
});
