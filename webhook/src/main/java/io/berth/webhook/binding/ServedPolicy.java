package io.berth.webhook.binding;

import io.berth.webhook.error.Problem;
import java.util.Optional;
import java.util.Set;

/**
 * A SchedulingPolicy of the catalog, or a legacy policy that stands for one.
 *
 * @param uid the UID of the object that it is written in; empty where it has none
 * @param revision its generation; empty for a legacy policy
 * @param created its creationTimestamp, in RFC 3339 and UTC as the API server writes it
 * @param guardedClasses the PriorityClasses that only namespaces with a quota for them may use
 * @param flaw what keeps it, as it is written, from being served; an earlier revision may be
 */
public record ServedPolicy(
    String name,
    String uid,
    String revision,
    boolean isDefault,
    String created,
    Set<String> guardedClasses,
    NamespaceRule allowedNamespaces,
    Optional<Problem> flaw) {}
