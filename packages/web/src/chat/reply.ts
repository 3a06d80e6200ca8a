/** A reply is a text whose first line is `> #12`: the id of the message that it answers. Command lines show it verbatim. */
const REPLY = /^> #(0|[1-9]\d{0,19})\n(?=[\s\S])/;

export interface Reply {
  /** Undefined for a text that replies to nothing. */
  readonly to: bigint | undefined;
  /** The rest. */
  readonly text: string;
}

export function splitReply(text: string): Reply {
  const [line = '', id] = REPLY.exec(text) ?? [];
  return { to: id === undefined ? undefined : BigInt(id), text: text.slice(line.length) };
}

export const joinReply = ({ to, text }: Reply): string => (to === undefined ? text : `> #${to}\n${text}`);
