import { MAX_TEXT_BYTES } from '@switchyard/messenger/client';
import { isInvisible } from '@switchyard/protocol/hidden-characters';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { Form } from '../ui/form.tsx';
import { readSetting, writeSetting } from '../ui/settings.ts';
import type { Message } from './conversation.ts';
import { Quoted } from './line.tsx';
import { joinReply } from './reply.ts';

const DRAFT = 'chat/draft';
const INPUT_METHOD = 229;
const utf8 = new TextEncoder();

interface WriteFormProps {
  /** Why nothing can be sent now; undefined if it can. */
  readonly obstacle: string | undefined;
  /** Shown below the field while nothing is wrong. */
  readonly note: ReactNode;
  /** The message that is answered; undefined if none is. */
  readonly answered: Message | undefined;
  readonly stopAnswering: () => void;
  readonly send: (text: string) => void;
}

/** The form for a new message. The draft survives a reload. */
export function WriteForm({ obstacle, note, answered, stopAnswering, send }: WriteFormProps) {
  const [draft, setDraft] = useState(() => readSetting('page', DRAFT) ?? '');
  useEffect(() => writeSetting('page', DRAFT, draft), [draft]);
  const words = draft.trim();
  const text = joinReply({ to: answered?.id, text: words });
  const bytes = utf8.encode(text).length;
  const isTooLong = bytes > MAX_TEXT_BYTES;
  const isEmpty = isInvisible(words);
  const canSend = !isEmpty && !isTooLong && obstacle === undefined;

  const submit = () => {
    if (!canSend) return;
    send(text);
    setDraft('');
    stopAnswering();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') stopAnswering();
    // An input method uses Enter to choose a word: Safari has ended the composition by then, and states this code.
    const isChoosing = event.isComposing || event.keyCode === INPUT_METHOD;
    // A keyboard on the screen has no other key for a new line.
    if (event.key !== 'Enter' || event.shiftKey || isChoosing || matchMedia('(pointer: coarse)').matches) return;
    event.preventDefault();
    submit();
  };
  return (
    <Form className="write" submit={submit}>
      {answered !== undefined && (
        <div className="answered">
          <div className="quote">
            <Quoted message={answered} />
          </div>
          <button type="button" className="icon" aria-label="Do not reply" onClick={stopAnswering}>
            ✕
          </button>
        </div>
      )}
      <textarea
        id="message"
        aria-label="Message"
        aria-describedby="limit"
        aria-invalid={isTooLong}
        placeholder="Message"
        autoComplete="off"
        dir="auto"
        rows={Math.min(5, draft.split('\n').length)}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" disabled={!canSend}>
        Send
      </button>
      <p id="limit" className={isTooLong ? 'problem' : 'hint'} role={isTooLong ? 'alert' : undefined}>
        {isTooLong || bytes > MAX_TEXT_BYTES * 0.8
          ? `${bytes} of at most ${MAX_TEXT_BYTES} bytes`
          : isEmpty && draft !== ''
            ? 'nothing of this text can be seen: it is not sent'
            : (obstacle ?? note)}
      </p>
    </Form>
  );
}
