package io.berth.operator.policy;

import io.berth.engine.policy.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;

/**
 * A policy as it is written, after the compiler has seen it.
 *
 * @param policy what the engine can serve; empty where there are problems
 * @param problems all that is wrong, with the places in the object where it is written
 */
record CompiledSource(Optional<CompiledPolicy> policy, List<Problem> problems) {

  CompiledSource {
    problems = List.copyOf(problems);
  }

  static CompiledSource of(PolicySource source, PolicyCompiler compiler) {
    Optional<PolicyCompilation> compilation =
        source.spec().map(spec -> compiler.compile(source.name(), source.revision(), spec));
    List<Problem> problems = source.problemsOf(compilation);
    return problems.isEmpty()
            && compilation.isPresent()
            && compilation.get() instanceof PolicyCompilation.Compiled(CompiledPolicy policy)
        ? new CompiledSource(Optional.of(policy), List.of())
        : new CompiledSource(Optional.empty(), problems);
  }
}
