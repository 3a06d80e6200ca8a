import { ETHER } from '@switchyard/protocol/values';
import { type FunctionFragment, Interface, type ParamType } from 'ethers/abi';
import { useMemo, useState } from 'react';
import { Field, TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { shown } from '../../ui/shown.ts';
import { type Network, useWallets, type Wallet, walletMessage } from '../../wallets.ts';
import { evmBase } from '../evm/columns.tsx';
import { Long } from '../parts/cells.tsx';
import { callContract, findReceipt, Reverted } from './rpc.ts';
import { parseCoins, parseValue, resultAt } from './values.ts';
import { sendCall } from './wallets.ts';

interface FunctionsProps {
  readonly rollup: string;
  readonly address: string;
  readonly network: Network;
  readonly part: 'read' | 'write';
  readonly abi: readonly unknown[];
}

/** Forms for what can be read from a contract, or for what a wallet can write. */
export default function Functions({ abi, part, rollup, address, network }: FunctionsProps) {
  const contract = useMemo(() => Interface.from(JSON.stringify(abi)), [abi]);
  const wallets = useWallets();
  const [chosen, choose] = useState('');
  const wallet = wallets.find(({ id }) => id === chosen) ?? wallets[0];
  const isRead = part === 'read';
  const functions = contract.fragments.filter((each): each is FunctionFragment => each.type === 'function');
  const offered = functions.filter((each) => each.constant === isRead);
  const formless = abi.flatMap((each) => formlessName(each, functions));
  const name = isRead ? 'Read' : 'Write';
  const run: Run = isRead
    ? (call) => read(rollup, address, call)
    : (call, show) => write({ wallet, network, rollup, address }, call, show);
  return (
    <>
      <section className="card" aria-label={name}>
        <h2 className="hidden">{name}</h2>
        {!isRead && wallet === undefined && (
          <p className="quiet">No wallet was found in this browser. With one, functions that write can be called.</p>
        )}
        {!isRead && wallet !== undefined && (
          <Field id="wallet" label="Wallet">
            <select id="wallet" value={wallet.id} onChange={(event) => choose(event.currentTarget.value)}>
              {wallets.map(({ id, name }) => (
                <option key={id} value={id}>
                  {shown(name)}
                </option>
              ))}
            </select>
          </Field>
        )}
        {offered.length === 0 && <p className="quiet">Nothing can be {isRead ? 'read' : 'written'}.</p>}
        {offered.map((fragment) => (
          <CallForm
            key={fragment.selector}
            {...{ contract, fragment, run, rollup }}
            action={name}
            isDisabled={!isRead && wallet === undefined}
          />
        ))}
      </section>
      {formless.length > 0 && (
        <p className="quiet">
          Without a form, as they have parameters of types that cannot be written here: {formless.map(shown).join(', ')}
        </p>
      )}
    </>
  );
}

/** The name of a function of the ABI that cannot be called. */
function formlessName(item: unknown, functions: readonly FunctionFragment[]): string[] {
  const { type, name, inputs }: Readonly<Record<string, unknown>> = Object(item);
  if (type !== 'function' || typeof name !== 'string' || !Array.isArray(inputs)) return [];
  const types = inputs.map((each) => String(Object(each).type)).join();
  const has = functions.some((each) => each.name === name && each.inputs.map((input) => input.type).join() === types);
  return has ? [] : [name];
}

interface Outcome {
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
  readonly transaction?: string;
}

/** A function with the values of its form. */
interface Call {
  readonly contract: Interface;
  readonly fragment: FunctionFragment;
  readonly data: string;
  /** Coins to send along, as typed. */
  readonly coins: string;
}

type Run = (call: Call, show: (outcome: Outcome) => void) => Promise<Outcome>;

async function read(rollup: string, address: string, { contract, fragment, data }: Call): Promise<Outcome> {
  const results = contract.decodeFunctionResult(fragment, await callContract(rollup, { to: address, data }));
  const lines = fragment.outputs.map((output, index) => {
    const text = resultAt(output, results, index);
    return output.name === '' ? text : `${shown(output.name)}: ${text}`;
  });
  return { tone: 'good', text: lines.join('\n') };
}

const RECEIPT_TRIES = 120;
const RECEIPT_EVERY_MS = 500;

interface Writing extends Pick<FunctionsProps, 'rollup' | 'address' | 'network'> {
  readonly wallet: Wallet | undefined;
}

async function write(
  { wallet, network, rollup, address: to }: Writing,
  { fragment, data, coins }: Call,
  show: (outcome: Outcome) => void,
): Promise<Outcome> {
  if (wallet === undefined) throw new Error('no wallet of this browser has announced itself');
  const value = fragment.payable ? parseCoins(coins) : 0n;
  show({ tone: 'plain', text: 'Confirm it in the wallet.' });
  const transaction = await sendCall(wallet, network, { to, data, value });
  show({ tone: 'plain', text: 'Sent, not in a block yet.', transaction });
  for (let tries = 0; tries < RECEIPT_TRIES; tries += 1) {
    const receipt = await findReceipt(rollup, transaction).catch(() => undefined);
    if (receipt !== undefined) {
      const block = Number(receipt.at('blockNumber').text());
      return Number(receipt.at('status').text()) === 1
        ? { tone: 'good', text: `Executed in block ${block}.`, transaction }
        : { tone: 'bad', text: `Failed in block ${block}.`, transaction };
    }
    await new Promise((resolve) => window.setTimeout(resolve, RECEIPT_EVERY_MS));
  }
  return { tone: 'plain', text: 'Sent, and in no block yet.', transaction };
}

interface CallFormProps extends Pick<Call, 'contract' | 'fragment'> {
  readonly rollup: string;
  readonly action: string;
  readonly run: Run;
  readonly isDisabled: boolean;
}

/** One function with a field for each parameter. */
function CallForm({ contract, fragment, rollup, action, run, isDisabled }: CallFormProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const typed = (name: string) => String(fields.get(name) ?? '');
    setBusy(true);
    setOutcome(undefined);
    try {
      const values = fragment.inputs.map((input, index) => parseValue(input, typed(`input ${index}`)));
      const data = contract.encodeFunctionData(fragment, values);
      setOutcome(await run({ contract, fragment, data, coins: typed('coins') }, setOutcome));
    } catch (error) {
      setOutcome({ tone: 'bad', text: failureText(contract, error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Form className="call fields" aria-label={`${action} ${fragment.format('sighash')}`} submit={submit}>
      <h3>
        <code>{shown(fragment.name)}</code>
      </h3>
      {fragment.inputs.map((input, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a parameter is known by its position
        <TextField key={index} name={`input ${index}`} label={shown(toLabel(input, index))} example={getHint(input)} />
      ))}
      {action === 'Write' && fragment.payable && (
        <TextField name="coins" label={`Value in ${ETHER.symbol}`} example="0" />
      )}
      <button type="submit" className="small" disabled={isBusy || isDisabled} aria-label={`${action} ${fragment.name}`}>
        {action}
      </button>
      <output className={outcome === undefined ? 'hidden' : `message ${outcome.tone}`}>
        {outcome !== undefined && (
          <span className="result">
            <Long>{outcome.text}</Long>
          </span>
        )}
        {outcome?.transaction !== undefined && (
          <>
            {' '}
            <a href={`#${evmBase(rollup)}/transactions/${outcome.transaction}`}>Transaction</a>
          </>
        )}
      </output>
    </Form>
  );
}

const toLabel = (input: ParamType, index: number): string => `${input.name || `argument ${index + 1}`} (${input.type})`;

function getHint(input: ParamType): string {
  if (input.isArray()) return '[…]';
  if (input.isTuple()) return `{"${input.components[0]?.name || '0'}": …}`;
  return input.baseType === 'bool' ? 'true or false' : '';
}

function failureText(contract: Interface, error: unknown): string {
  if (!(error instanceof Reverted)) return shown(walletMessage(error));
  const parsed = error.data === undefined ? null : contract.parseError(error.data);
  if (parsed === null) return `Reverted: ${shown(error.message)}`;
  const values = parsed.fragment.inputs.map((input, index) => resultAt(input, parsed.args, index));
  return `Reverted: ${shown(parsed.name)}(${values.join(', ')})`;
}
