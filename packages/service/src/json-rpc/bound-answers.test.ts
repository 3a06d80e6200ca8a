import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { httpApp, serveHttp } from '../http/http.ts';
import { eventually, settle } from '../testing.ts';
import { systemClock } from '../timing/clock.ts';
import { boundAnswers } from './bound-answers.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

// Defect: Explorer: large answers made for all clients, however many were unread
test('unread answers are counted before more are made, and give their place when their clients go', async () => {
  const app = httpApp();
  let made = 0;
  app.use('/long', boundAnswers(systemClock));
  app.get('/long', async (c) => {
    made += 1;
    await settle();
    return c.text('x'.repeat(20_000_000));
  });
  const http = await serveHttp({ listen: { host: '127.0.0.1', port: 0 }, app, name: 'X' });
  closers.push(() => http.close());
  const sockets: Socket[] = [];
  for (let wanted = 0; wanted < 12; wanted += 1) {
    const socket = connect(http.port, '127.0.0.1', () => socket.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    // The beginning of an answer may come; none is read.
    socket.pause();
    socket.on('error', () => undefined);
    sockets.push(socket);
  }
  closers.push(async () => sockets.forEach((socket) => void socket.destroy()));
  await eventually(() => made > 0);
  await settle();
  // Four at a time, until more is unread than may be.
  expect(made).toBeLessThanOrEqual(8);
  for (const socket of sockets.splice(0)) socket.destroy();
  expect((await (await fetch(`${http.url}/long`)).text()).length).toBe(20_000_000);
});
