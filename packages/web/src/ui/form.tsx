import { type ComponentProps, useState } from 'react';
import { Message } from './message.tsx';
import { shown } from './shown.ts';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  /** A text that it returns is shown in the form, as is the message of what it throws. */
  readonly submit: (form: HTMLFormElement) => unknown;
}

/** A form whose values stay in the page. */
export function Form({ submit, children, ...form }: FormProps) {
  const [outcome, setOutcome] = useState<{ readonly tone: 'good' | 'bad'; readonly text: string }>();
  const run = async (target: HTMLFormElement) => {
    setOutcome(undefined);
    try {
      const text = await submit(target);
      if (typeof text === 'string') setOutcome({ tone: 'good', text });
    } catch (error) {
      setOutcome({ tone: 'bad', text: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        void run(event.currentTarget);
      }}
    >
      {children}
      {outcome !== undefined && (
        <Message tone={outcome.tone} role="alert">
          {shown(outcome.text)}
        </Message>
      )}
    </form>
  );
}
