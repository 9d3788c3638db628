import { sha256 } from '@inquest/contracts/canonical-json';

/** A system prompt under a name that is never given to another text: a change is a new version beside the old one. */
export type Prompt = { name: string; text: string; hash: string };

export const definePrompt = (name: string, text: string): Prompt => {
  const trimmed = text.trim();
  return { name, text: trimmed, hash: sha256(trimmed) };
};
