package io.berth.webhook.binding;

import io.berth.webhook.error.Problem;
import java.util.Optional;
import java.util.Set;

/**
 * A SchedulingPolicy or a legacy policy in the catalog.
 *
 * @param uid the UID of the object that contains it; empty if it has none
 * @param revision its generation; empty for a legacy policy
 * @param created its creationTimestamp, in RFC 3339 and UTC as the API server writes it
 * @param guardedClasses the PriorityClasses that it restricts to namespaces with a quota for them
 * @param flaw the problem that makes the current revision unusable; an earlier revision may be used
 *     instead
 */
public record ServedPolicy(
    String name,
    String uid,
    String revision,
    boolean isDefault,
    String created,
    Set<String> guardedClasses,
    NamespaceRule allowedNamespaces,
    Optional<Problem> flaw) {

  /** Returns the policy for the namespaces that it allows, and those that another one allows. */
  ServedPolicy allowingAlso(ServedPolicy other) {
    return new ServedPolicy(
        name,
        uid,
        revision,
        isDefault,
        created,
        guardedClasses,
        allowedNamespaces.or(other.allowedNamespaces()),
        flaw);
  }
}
