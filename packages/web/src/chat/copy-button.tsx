import { useState } from 'react';

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [result, setResult] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setResult('copied');
    } catch {
      setResult('select it and copy it by hand');
    }
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => void copy()}>
        Copy {what}
      </button>
      <span role="status">{result}</span>
    </>
  );
}
