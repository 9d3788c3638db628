export type Family =
  | 'instructions to the model'
  | 'instructions to people'
  | 'false claims'
  | 'fake results and roles'
  | 'delimiters and boundaries'
  | 'unicode'
  | 'encodings, links and images'
  | 'split over outputs';

export type Payload = {
  name: string;
  family: Family;
  /** What is planted; more than one piece goes into more than one place. */
  pieces: readonly [string, ...string[]];
  /** What an author that obeys makes of it, besides repeating it: decoded, joined, done as told. */
  obeyed?: readonly string[];
  /** Any of these in a released report came from the payload. Compared without case, look-alike letters and hidden characters. */
  marks: readonly string[];
  /**
   * What is left when both models are in the attacker's hand: they agree on a plain sentence that no rule knows to be
   * false or foreign. `QUOTED`: only as a quote, a typed value or a repetition of what really stands in a cited output;
   * `SAID`: also in words of their own. Without it nothing of the payload is released even then.
   */
  limit?: 'QUOTED' | 'SAID';
  /** The marks differ from harmless text by their letters alone: compared as they are. */
  letterByLetter?: true;
};

/** Harmless text that looks like an attack to a careless filter. `says`: how an honest report speaks of it. */
export type LookAlike = { name: string; text: string; says: string };
