/** A pure decision model: `decide` turns a command into facts, `evolve` folds facts into state. After Chassaing's Decider. */
export type Decider<State, Command, Event> = {
  decide: (command: Command, state: State) => Event[];
  evolve: (state: State, event: Event) => State;
  initialState: () => State;
};

/** For the default branch of an exhaustive switch: adding a variant without handling it does not compile. */
export const assertNever = (value: never): never => {
  throw new Error(`unhandled variant ${JSON.stringify(value)}`);
};
