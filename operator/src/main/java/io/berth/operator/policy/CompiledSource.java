package io.berth.operator.policy;

import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;

/**
 * The result of compiling a policy's current spec.
 *
 * @param policy the compiled policy; empty if there are problems
 * @param problems all problems, with their paths in the object that contains the policy
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
