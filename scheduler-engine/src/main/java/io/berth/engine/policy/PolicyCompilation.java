package io.berth.engine.policy;

import java.util.List;

/** What became of a SchedulingPolicy: something that can serve, or every problem it has. */
public sealed interface PolicyCompilation {
  record Compiled(CompiledPolicy policy) implements PolicyCompilation {}

  /** At least one problem. */
  record Invalid(List<PolicyProblem> problems) implements PolicyCompilation {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}
