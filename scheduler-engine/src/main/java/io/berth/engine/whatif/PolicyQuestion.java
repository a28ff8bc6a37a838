package io.berth.engine.whatif;

import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.PodModel;
import java.util.function.Predicate;

/**
 * A question about what a policy would change if it were another one.
 *
 * @param name the name of the policy
 * @param policy the policy as it would be, under a name that no policy has
 * @param defaultAfter the name of the policy that would serve pods that name none; empty for the
 *     built-in one
 * @param namespace the namespace whose pods are tried; empty for all namespaces
 * @param denied returns whether a pod would be denied when it is created, and is not today
 */
public record PolicyQuestion(
    String name,
    CompiledPolicy policy,
    String defaultAfter,
    String namespace,
    Predicate<PodModel> denied)
    implements ChangeQuestion {}
