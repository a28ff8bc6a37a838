package io.berth.operator.policy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last revision of each policy that compiled, stored as ControllerRevisions in the operator's
 * namespace, so that a policy that was broken while Berth was not running still has a revision to
 * serve. They contain no private keys.
 */
public final class GoodRevisions {

  static final String LABEL = "sched.cloud.ctrip.com/last-good-policy";
  static final String POLICY_ANNOTATION = "sched.cloud.ctrip.com/policy-name";
  static final String REVISION_ANNOTATION = "sched.cloud.ctrip.com/policy-revision";

  private static final Logger LOG = LoggerFactory.getLogger(GoodRevisions.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final String namespace;

  public GoodRevisions(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Loads all stored revisions, by policy name; if a policy has several, the newest. */
  public Map<String, GoodRevision> load() {
    Map<String, ControllerRevision> newest = new HashMap<>();
    for (ControllerRevision kept : list()) {
      if (owner(kept).isPresent()) {
        String policy = annotation(kept, POLICY_ANNOTATION);
        newest.merge(policy, kept, (a, b) -> a.getRevision() >= b.getRevision() ? a : b);
      }
    }
    Map<String, GoodRevision> good = new HashMap<>();
    newest.forEach(
        (policy, kept) -> {
          try {
            SchedulingPolicySpec spec =
                JSON.convertValue(kept.getData(), SchedulingPolicySpec.class);
            good.put(
                policy,
                new GoodRevision(
                    annotation(kept, REVISION_ANNOTATION), spec, owner(kept).orElseThrow()));
          } catch (IllegalArgumentException e) {
            LOG.warn(
                "ControllerRevision {}/{} does not hold a policy: {}",
                namespace,
                kept.getMetadata().getName(),
                e.getMessage());
          }
        });
    return good;
  }

  /** Stores a revision in place of the policy's earlier ones. */
  public void keep(String policy, GoodRevision good) {
    List<ControllerRevision> before =
        list().stream().filter(kept -> annotation(kept, POLICY_ANNOTATION).equals(policy)).toList();
    if (before.stream().anyMatch(kept -> same(kept, good) && !StoredSpecs.holdKey(kept))) {
      return;
    }
    long number = before.stream().mapToLong(ControllerRevision::getRevision).max().orElse(0) + 1;
    client
        .resource(
            new ControllerRevisionBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name(policy, number))
                .addToLabels(LABEL, "true")
                .addToAnnotations(POLICY_ANNOTATION, policy)
                .addToAnnotations(REVISION_ANNOTATION, good.revision())
                .withOwnerReferences(good.owner())
                .endMetadata()
                .withRevision(number)
                .withData(StoredSpecs.of(good.spec()))
                .build())
        .create();
    before.forEach(this::delete);
  }

  private static boolean same(ControllerRevision kept, GoodRevision good) {
    return annotation(kept, REVISION_ANNOTATION).equals(good.revision())
        && owner(kept).map(OwnerReference::getUid).equals(Optional.of(good.owner().getUid()));
  }

  private static Optional<OwnerReference> owner(ControllerRevision kept) {
    List<OwnerReference> owners = kept.getMetadata().getOwnerReferences();
    return owners == null ? Optional.empty() : owners.stream().findFirst();
  }

  private void delete(ControllerRevision kept) {
    client.resource(kept).delete();
  }

  private List<ControllerRevision> list() {
    return client
        .apps()
        .controllerRevisions()
        .inNamespace(namespace)
        .withLabel(LABEL, "true")
        .list()
        .getItems();
  }

  private static String annotation(ControllerRevision kept, String key) {
    Map<String, String> annotations = kept.getMetadata().getAnnotations();
    return annotations == null ? "" : annotations.getOrDefault(key, "");
  }

  /** Returns a name that is unique, readable, and short enough for any policy name. */
  private static String name(String policy, long number) {
    CRC32 crc = new CRC32();
    crc.update(policy.getBytes(StandardCharsets.UTF_8));
    String readable = policy.substring(0, Math.min(policy.length(), 200));
    return "policy-"
        + readable
        + "-"
        + HexFormat.of().toHexDigits((int) crc.getValue())
        + "-"
        + number;
  }
}
