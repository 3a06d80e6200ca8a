import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// Answers every request at once. Run by floor.ts; prints its port.
const server = createServer((_, response) => void response.end());
server.listen(0, '127.0.0.1', () => {
  // A server bound to a host has an address of this form.
  console.log(String((server.address() as AddressInfo).port));
});
