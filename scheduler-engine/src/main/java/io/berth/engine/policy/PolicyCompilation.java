package io.berth.engine.policy;

import io.berth.engine.framework.CompiledPolicy;
import java.util.List;

/** The result of compiling a SchedulingPolicy: a usable policy, or all of its problems. */
public sealed interface PolicyCompilation {
  record Compiled(CompiledPolicy policy) implements PolicyCompilation {}

  /** The problems of an invalid policy, at least one. */
  record Invalid(List<PolicyProblem> problems) implements PolicyCompilation {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}
