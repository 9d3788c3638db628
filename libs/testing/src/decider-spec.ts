import type { Decider } from '@inquest/decider/decider';

/** given(past events).when(command).then(new events): the whole test vocabulary of a decider. */
export const deciderSpec =
  <State, Command, Event>({ decide, evolve, initialState }: Decider<State, Command, Event>) =>
  (...past: Event[]) => ({
    when: (command: Command) => {
      const act = () => decide(command, past.reduce(evolve, initialState()));
      return {
        then: (...expected: Event[]) => expect(act()).toEqual(expected),
        thenNothing: () => expect(act()).toEqual([]),
        thenThrows: (error: new (...args: never[]) => Error) => expect(act).toThrow(error),
        events: act,
      };
    },
  });
