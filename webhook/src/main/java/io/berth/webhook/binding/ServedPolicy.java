package io.berth.webhook.binding;

import io.berth.crds.SchedulingPolicy;
import io.berth.rules.label.NamespaceAccess;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.client.CustomResource;
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
    NamespaceAccess allowedNamespaces,
    Optional<Problem> flaw) {

  /** Returns how policies are read from the revisions of their objects. */
  static RolledObjects.Reading<ServedPolicy> reading(PolicyServing serving) {
    return new RolledObjects.Reading<>() {
      @Override
      public ServedPolicy entry(CustomResource<?, ?> object) {
        return CatalogEntries.of((SchedulingPolicy) object, serving);
      }

      @Override
      public boolean isUsable(ServedPolicy policy) {
        return policy.flaw().isEmpty();
      }

      @Override
      public ServedPolicy beside(
          ServedPolicy stable, ServedPolicy latest, int percent, String salt, boolean isConfirmed) {
        return latest.allowing(
            percent == 0
                ? stable.allowedNamespaces
                : latest.allowedNamespaces.or(stable.allowedNamespaces));
      }

      @Override
      public ServedPolicy unconfirmed(ServedPolicy latest) {
        return latest;
      }

      @Override
      public ServedPolicy withdrawn(ServedPolicy latest) {
        return latest; // its pods wait until the last complete revision is read
      }
    };
  }

  /** Returns the policy for other namespaces. */
  private ServedPolicy allowing(NamespaceAccess namespaces) {
    return new ServedPolicy(
        name, uid, revision, isDefault, created, guardedClasses, namespaces, flaw);
  }
}
