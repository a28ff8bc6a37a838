package io.berth.demo.invariant;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Installation;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.admission.WebhookEndpoint;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.policy.CompleteRevisions;
import io.berth.operator.policy.GoodRevisions;
import io.berth.operator.policy.HeldPolicies;
import io.berth.operator.policy.PolicySources;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.schedule.EngineFeed;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sources of what an engine is fed, as the real process connects them, without its threads:
 * caches that are filled by hand, the policies that bindings enforce, and served policies.
 *
 * @param feed the caches, of which all resources count as served
 * @param catalog follows the caches
 */
public record EngineSources(
    ClusterFeed feed,
    LiveCatalog catalog,
    HeldPolicies held,
    EngineFeed engineFeed,
    ServedPolicies policies) {
  /** The kind of the objects in which complete revisions are stored. */
  public static final String REVISIONS = "ControllerRevision";

  /**
   * Connects sources without objects.
   *
   * @param client used to build the caches; no requests are sent
   * @param scheduler the name of the scheduler of the pods
   */
  public static EngineSources of(KubernetesClient client, String scheduler) {
    ClusterFeed feed = feed(client);
    feed.allServed();
    LiveCatalog catalog = catalog(feed);
    HeldPolicies held = new HeldPolicies(feed, catalog, Set.of(scheduler));
    EngineFeed engineFeed = new EngineFeed(held::subscribe, held::replay);
    return new EngineSources(
        feed, catalog, held, engineFeed, new ServedPolicies(engineFeed::publish));
  }

  /** Returns empty caches that no watch fills. */
  public static ClusterFeed feed(KubernetesClient client) {
    return new ClusterFeed(client, Installation.NAMESPACE, WatchTimes.defaults(), failure -> {});
  }

  /** Returns a catalog that follows the caches. */
  public static LiveCatalog catalog(ClusterFeed feed) {
    LiveCatalog catalog = new LiveCatalog(Installation.NAMESPACE);
    WebhookEndpoint.follow(feed, catalog);
    return catalog;
  }

  /** Serves the policies in the caches as they are now. */
  public void updatePolicies() {
    policies.update(PolicySources.in(feed));
  }

  /** Serves the policies in the caches, from the beginning of a term on. */
  public void beginTerm() {
    beginTerm(new CompleteRevisions(Map.of(), List.of()));
  }

  /**
   * Serves the policies in the caches, from the beginning of a term on.
   *
   * @param revisions the stored revisions
   */
  public void beginTerm(CompleteRevisions revisions) {
    stored(revisions);
    updatePolicies();
    policies.beginTerm(revisions.policies(), Map.of());
  }

  /** Takes the stored revisions, as a replica does when it has read them. */
  public void stored(CompleteRevisions revisions) {
    policies.stored(revisions.policies());
    catalog.stored(revisions.objects());
  }

  /** Returns whether the last complete revision of an object that is rolled out is not known. */
  public boolean lacksRevisions() {
    return policies.lacksRevisions() || catalog.lacksRevisions();
  }

  /** Returns the newest stored revision of each policy, among all objects of a cluster. */
  public static CompleteRevisions stored(List<ObjectNode> objects) {
    KubernetesSerialization serialization = new KubernetesSerialization();
    List<ControllerRevision> revisions =
        objects.stream()
            .filter(object -> ObjectKey.of(object).kind().equals(REVISIONS))
            .map(object -> serialization.convertValue(object, ControllerRevision.class))
            .toList();
    return new CompleteRevisions(GoodRevisions.in(revisions), List.of());
  }
}
