import type { ComponentProps } from 'react';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly submit: (form: HTMLFormElement) => unknown;
}

/** A form whose values stay in the page. */
export const Form = ({ submit, ...form }: FormProps) => (
  <form
    {...form}
    onSubmit={(event) => {
      event.preventDefault();
      submit(event.currentTarget);
    }}
  />
);
