import { type ApiInfo, Components } from './openapi.ts';
import { type AnyRoute, isRaw } from './route.ts';
import { type Members, object, type Schema } from './schema.ts';

/** A WebSocket and the messages on it, by their names. */
export interface Channel {
  readonly address: string;
  readonly summary: string;
  readonly description: string;
  /** From clients to the node. */
  readonly requests: Readonly<Record<string, Schema<unknown>>>;
  /** From the node to clients. */
  readonly notifications: Readonly<Record<string, Schema<unknown>>>;
}

const BINDING = '0.3.0';

/** The AsyncAPI 3.0 document of a WebSocket and of those routes of a table that are streams of events. */
export function asyncApiDocument(
  { title, version, description }: ApiInfo,
  socket: Channel,
  routes: readonly AnyRoute[],
) {
  const components = new Components();
  const toMessages = (messages: Channel['requests']) =>
    Object.fromEntries(
      Object.entries(messages).map(([name, { json }]) => [name, { name, payload: components.hoist(json) }]),
    );
  const channels: Record<string, unknown> = {
    live: {
      ...{ address: socket.address, summary: socket.summary, description: socket.description },
      messages: toMessages({ ...socket.requests, ...socket.notifications }),
      bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
    },
  };
  const operations: Record<string, unknown> = {};
  const messagesOf = (channel: string, name: string) => [{ $ref: `#/channels/${channel}/messages/${name}` }];
  const operate = (action: 'send' | 'receive', channel: string, name: string, more = {}): void => {
    const id = name === 'event' ? channel : name;
    operations[id] = {
      action,
      channel: { $ref: `#/channels/${channel}` },
      messages: messagesOf(channel, name),
      ...more,
    };
  };
  for (const name of Object.keys(socket.requests)) operate('receive', 'live', name);
  for (const name of Object.keys(socket.notifications)) operate('send', 'live', name);
  for (const { id, url, summary, description: text = '', path = {}, query = {}, answers } of routes) {
    const answer = answers[200];
    if (answer === undefined || !isRaw(answer) || answer.mediaType !== 'text/event-stream') continue;
    const parameters = Object.entries(path).map(([name, { json }]) => [name, { description: json.description }]);
    channels[id] = {
      ...{ address: url, summary, description: text, parameters: Object.fromEntries(parameters) },
      messages: { event: { name: 'event', payload: components.hoist(answer.events ?? {}) } },
    };
    const http = { method: 'GET', query: components.hoist(toObject(query)), bindingVersion: BINDING };
    operate('send', id, 'event', { summary, bindings: { http } });
  }
  return {
    asyncapi: '3.0.0',
    info: { title, version, description },
    defaultContentType: 'application/json',
    channels,
    operations,
    components: { schemas: components.found },
  };
}

const toObject = (members: Members) => object(members, { isOpen: false }).json;
