package io.berth.demo.tenants;

import java.util.Random;

/**
 * A kind of step of the tenants.
 *
 * @param weight how often it is drawn, relative to the other kinds
 */
record StepKind(Role role, int weight, Action action) {

  /** The part of the kind in the mix of a stretch. */
  enum Role {
    /** It is part of every mix, because without it the others find nothing to work with. */
    ALWAYS,
    /** It is part of some mixes. */
    SOMETIMES,
    /**
     * It lets something be wrong for all namespaces. The mix of a stretch has all of these or none,
     * because the promises to well-behaved namespaces are judged only if the server is well.
     */
    FAULT_OF_ALL
  }

  /** The effect of a step. */
  interface Action {
    /** Runs a step, with the number of the step and the random source of the step. */
    void run(int number, Stretch stretch, Random random);
  }

  static StepKind always(int weight, Action action) {
    return new StepKind(Role.ALWAYS, weight, action);
  }

  static StepKind sometimes(int weight, Action action) {
    return new StepKind(Role.SOMETIMES, weight, action);
  }

  static StepKind faultOfAll(int weight, Action action) {
    return new StepKind(Role.FAULT_OF_ALL, weight, action);
  }
}
