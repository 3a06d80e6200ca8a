import { useRef, useState } from 'react';
import { Field, TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import type { Call } from './document.ts';
import type { Values } from './samples.ts';
import { type Shown, send } from './send.ts';

interface TryProps {
  readonly call: Call;
  readonly first: Values;
  /** Called with the values of the form when they change. */
  readonly changed: (values: Values) => void;
}

/** A form that sends the call, and the answer. */
export function Try({ call, first, changed }: TryProps) {
  const [shown, setShown] = useState<Shown>();
  const [running, setRunning] = useState<AbortController>();
  const newest = useRef<AbortController>(undefined);
  const submit = async (form: HTMLFormElement) => {
    newest.current?.abort();
    const own = new AbortController();
    newest.current = own;
    setRunning(own);
    // Only the newest call of a form shows its answer.
    await send(call, formValues(form), own.signal, (each) => newest.current === own && setShown(each));
    if (newest.current === own) setRunning(undefined);
  };
  const id = `${call.operationId}-body`;
  return (
    <details className="try card">
      <summary>Try it</summary>
      <Form submit={submit} onInput={({ currentTarget }) => changed(formValues(currentTarget))}>
        {call.parameters.map(({ name, required, schema }) => (
          <TextField
            key={name}
            name={name}
            label={name}
            defaultValue={first.parameters[name]}
            example={String(schema.default ?? (required ? '' : 'optional'))}
            required={required}
          />
        ))}
        {first.body !== undefined && (
          <Field id={id} label="Body">
            <textarea id={id} rows={6} spellcheck={false} defaultValue={first.body} />
          </Field>
        )}
        <p className="row">
          <button type="submit">Send</button>
          <button type="button" className="plain" hidden={running === undefined} onClick={() => running?.abort()}>
            Stop
          </button>
          <small role="status">{shown?.status}</small>
        </p>
      </Form>
      {shown !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
        <pre className="answer" tabIndex={0}>
          {shown.answer}
        </pre>
      )}
    </details>
  );
}

function formValues(form: HTMLFormElement): Values {
  const texts = Array.from(form.querySelectorAll('input'), ({ name, value }) => [name, value]);
  return { parameters: Object.fromEntries(texts), body: form.querySelector('textarea')?.value };
}
