import { expect, it } from 'vitest';
import { readTex } from '../../server/knowledge/readers/tex.ts';

const TEXT = String.raw`\documentclass[a4paper]{article}
\usepackage{amsmath}
\title{The \textbf{Harbour} Lamp}
\newcommand{\lamp}{lamp}
\begin{document}
\maketitle
% A remark for the authors.
\section{Returns \& refunds}\label{sec:returns}
Send the lamp back within \emph{thirty} days~\cite{law},
as section~\ref{sec:money} says. It costs 10\,\% less. % not yet agreed
Caf\'e, na\"{\i}ve, \c{c}a, 50\% \ldots

\subsection*{Money}
It takes $n + 1$ days, where \(n < 5\).
\begin{equation}
  t = n + 1
\end{equation}
\begin{itemize}
  \item To a \href{https://bank.example/}{bank} account
  \item[Card] to a card
\end{itemize}
\begin{tabular}{ll}
  \hline
  Zone & Price \\
  Europe & \$9 \\
\end{tabular}
\begin{verbatim}
\keep{this} % as it is
\end{verbatim}
\end{document}
Not read.`;

it('reads LaTeX as its reader sees it, without comments and commands, formulas as they are written', async () => {
  const { title, blocks } = await readTex(TEXT);
  expect(title).toBe('The Harbour Lamp');
  expect(blocks.map(({ kind, level, text }) => `${kind}${level ?? ''} | ${text}`)).toEqual([
    'heading2 | Returns & refunds',
    'text | Send the lamp back within thirty days , as section says. It costs 10 % less. Café, naïve, ça, 50% …',
    'heading3 | Money',
    'text | It takes $n + 1$ days, where \\(n < 5\\).',
    'text | t = n + 1',
    'item | To a bank account',
    'item | Card: to a card',
    'item | Zone: Price',
    'item | Europe: $9',
    'code | \\keep{this} % as it is',
  ]);
});

it('reads a part of LaTeX that has no document of its own', async () => {
  const { title, blocks } = await readTex('\\chapter{Ferry}\nThe ferry is blue.\r\n\r\nIt leaves at nine.');
  expect(title).toBe('Ferry');
  expect(blocks.map(({ text }) => text)).toEqual(['Ferry', 'The ferry is blue.', 'It leaves at nine.']);
});

it('reads what stands on the line of an end', async () => {
  const { blocks } = await readTex(String.raw`\begin{equation} x = 5 \end{equation} where x is the price
in euros. \begin{verbatim}a\end{verbatim} \section{Zones} \begin{tabular}{l}
  Europe \\ \end{tabular} % the only one
\begin{comment}none\end{comment}\begin{math}y\end{math} is free.
\begin{tabularx}{9cm}{@{\hspace{1em}}lX} Asia & \$9 \\ \end{tabularx} \emph{Late} ones.`);
  expect(blocks.map(({ kind, text }) => `${kind} | ${text}`)).toEqual([
    'text | x = 5',
    'text | where x is the price in euros.',
    'code | a',
    'heading | Zones',
    'item | Europe',
    'text | y',
    'text | is free.',
    'item | Asia: $9',
    'text | Late ones.',
  ]);
});

it('finds tables, code and what is unread behind the beginning of another environment', async () => {
  const { blocks } = await readTex(String.raw`\begin{table}[h]\begin{center}\begin{tabular}{ll} Zone & Price \\
  Asia & \$9 \\ \end{tabular}\end{center}\end{table}
\begin{figure}\begin{tikzpicture} \draw (0,0); \end{tikzpicture}The harbour.\end{figure}

\begin{quote}Say \begin{verbatim}\keep{this}\end{verbatim}\end{quote}`);
  expect(blocks.map(({ kind, text }) => `${kind} | ${text}`)).toEqual([
    'item | Zone: Price',
    'item | Asia: $9',
    'text | The harbour.',
    'text | Say',
    'code | \\keep{this}',
  ]);
});

it('tells formulas from line breaks, escaped signs and openings that never close', async () => {
  const { blocks } = await readTex(String.raw`One \\[2pt] \textbf{two} \] three.

It costs \$5 \emph{or} \$6, or \(a_{1}\), \[ b_{2} \] and $$ c_{3} $$.

Never \( \emph{closed} \[ but $d_{4}$$e_{5}$ is.`);
  expect(blocks.map(({ text }) => text)).toEqual([
    'One two \\] three.',
    'It costs $5 or $6, or \\(a_{1}\\), \\[ b_{2} \\] and $$ c_{3} $$.',
    'Never \\( closed \\[ but $d_{4}$$e_{5}$ is.',
  ]);
});
