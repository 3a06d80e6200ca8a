// The index of the documentation for programs that read it: each page with its title and its first sentence.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PARTS = ['tutorials', 'how-to', 'reference', 'explanation', 'decisions', 'measurements'];

/** @returns {string} the text of `llms.txt`. @param docs Directory of the pages. @param description One line about the product. */
export function llmsText(docs, description) {
  const parts = PARTS.map((part) => {
    const names = readdirSync(join(docs, part)).filter((name) => name.endsWith('.md'));
    const lines = names.sort().map((name) => lineOf(readFileSync(join(docs, part, name), 'utf8'), `${part}/${name}`));
    return `## ${part}\n\n${lines.join('\n')}\n`;
  });
  return `# Switchyard\n\n> ${description}\n\n${parts.join('\n')}`;
}

function lineOf(page, path) {
  const title = /^# (.+)$/m.exec(page)?.[1] ?? path;
  // The first paragraph is prose, and not a list, a table or a listing.
  const paragraph = page.split(/\n{2,}/).find((text) => /^[A-Z`[*]/.test(text.trim())) ?? '';
  const text = paragraph
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .trim();
  const [sentence] = /^.+?[.:](?= [A-Z]|$)/.exec(text) ?? [text];
  return `- [${title}](${path.replace(/\.md$/, '.html')}): ${sentence}`;
}
