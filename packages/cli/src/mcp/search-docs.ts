import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '@switchyard/service/failure';

/** A part of a page below one heading, and the words of a query that it has. */
export interface DocsFound {
  /** Path of the page below `docs/`. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

export interface DocsSection extends DocsFound {
  readonly lowerCase: string;
}

const DOCS = fileURLToPath(new URL('../../../../docs', import.meta.url));
const MAX_RESULTS = 8;
const MAX_TEXT = 1_500;
const MAX_WORDS = 16;

/** The pages that are published with this version, section by section. Measurements are left out. @throws {Failure} */
export function readDocs(directory = DOCS): DocsSection[] {
  try {
    const pages = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && !path.startsWith('measurements'))
      .sort();
    return pages.flatMap((page) => getSections(page, readFileSync(join(directory, page), 'utf8')));
  } catch (error) {
    throw new Failure(`${directory}: the pages of the documentation cannot be read`, error);
  }
}

/** The sections with most of the query's words; those with a word in their heading first among equals. */
export function searchDocs(sections: readonly DocsSection[], query: string): DocsFound[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu))].slice(0, MAX_WORDS);
  const scored = sections.map((section) => {
    const heading = section.heading.toLowerCase();
    const score = words.reduce(
      (sum, word) => sum + (section.lowerCase.includes(word) ? 1 : 0) + (heading.includes(word) ? 0.5 : 0),
      0,
    );
    return { section, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ section: { page, heading, text } }) => ({ page, heading, text: text.slice(0, MAX_TEXT) }));
}

function getSections(page: string, text: string): DocsSection[] {
  return text.split(/^(?=#{1,4} )/m).map((part) => {
    const [first = '', ...rest] = part.split('\n');
    const isHeading = first.startsWith('#');
    const heading = isHeading ? first.replace(/^#+ /, '') : '';
    const body = (isHeading ? rest : [first, ...rest]).join('\n').trim();
    return { page, heading, text: body, lowerCase: part.toLowerCase() };
  });
}
