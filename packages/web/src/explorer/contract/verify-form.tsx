import { evm } from '@switchyard/explorer/contract';
import { useRef, useState } from 'react';
import { Field, TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { shown } from '../../ui/shown.ts';
import { explorerOf } from '../../wallets.ts';
import { ask, BASE } from '../api.ts';
import { useAsked } from '../parts/answer.tsx';
import { Hint } from '../parts/hint.tsx';
import { Card } from '../parts/layout.tsx';
import { verifySources } from './rpc.ts';
import { toClaim, verifyCommand } from './verify.ts';

interface VerifyFormProps {
  readonly rollup: string;
  readonly address: string;
  readonly verified: () => void;
}

/** Sources of a contract, which the explorer compiles and compares with the code on the chain. */
export function VerifyForm({ rollup, address, verified }: VerifyFormProps) {
  const { value: compilers } = useAsked('compilers', () => ask(evm.listEvmCompilers, {}));
  const [isBusy, setBusy] = useState(false);
  const source = useRef<HTMLTextAreaElement>(null);
  const submit = async (form: HTMLFormElement) => {
    if (isBusy) return;
    setBusy(true);
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
    await verifySources(rollup, toClaim(address, Object.fromEntries(fields))).finally(() => setBusy(false));
    verified();
  };
  const take = async (file: File | undefined) => {
    if (file !== undefined && source.current !== null) source.current.value = await file.text();
  };
  return (
    <Card title="Verify the source">
      <p>This contract is not verified. Once its source is known, it can be read and written here.</p>
      <Form className="verify" aria-label="Verify the contract" submit={submit}>
        <Field id="source" label="Source" hint="One file of Solidity, or the standard JSON input of the compiler">
          <textarea id="source" name="sourcecode" ref={source} rows={8} spellcheck={false} required />
        </Field>
        <Field id="file" label="Or a file">
          <input
            id="file"
            type="file"
            accept=".sol,.json"
            onChange={(event) => void take(event.currentTarget.files?.[0])}
          />
        </Field>
        <div className="fields">
          <Field id="compiler" label="Compiler">
            <select id="compiler" name="compilerversion">
              {compilers?.items.map((each) => (
                <option key={each}>{shown(each)}</option>
              ))}
            </select>
          </Field>
          <TextField name="contractname" label="Name of the contract" example="any that fits" />
          <TextField name="runs" label="Optimizer runs of one file" example="off" />
          <TextField name="evmversion" label="EVM version of one file" example="default of the compiler" />
        </div>
        <button type="submit" aria-disabled={isBusy}>
          {isBusy ? 'Compiling…' : 'Verify'}
        </button>
      </Form>
      <Hint command={verifyCommand(address, explorerOf(BASE, rollup))}>Or from the directory of its project:</Hint>
    </Card>
  );
}
