import { number, optional, record, text, uuid } from '../record-checks.ts';
import { FIGURES_BY, type Cited, type Figures } from './figures.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

export const isFigures = record<Figures>({
  chatbot: uuid,
  day: (value) => typeof value === 'string' && DAY.test(value),
  by: (value) => FIGURES_BY.includes(value as Figures['by']),
  name: text,
  asked: number,
  answered: number,
  unsure: number,
  unknown: number,
  handed_over: number,
  rated_up: number,
  rated_down: number,
  refused: optional(number),
});

export const isCited = record<Cited>({ source: uuid, answers: number, last_at: text });
