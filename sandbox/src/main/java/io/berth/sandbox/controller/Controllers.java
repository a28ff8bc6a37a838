package io.berth.sandbox.controller;

import io.berth.sandbox.loop.StoreFeed;
import io.berth.sandbox.loop.WorkQueue;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * All controllers of the cluster. Most run from a work queue that is fed by store events; a few run
 * periodically.
 */
public final class Controllers implements AutoCloseable {
  private final Workloads workloads;
  private final List<StoreFeed> feeds = new ArrayList<>();
  private final List<WorkQueue> queues = new ArrayList<>();
  private final GarbageCollector garbage;
  private final Rounds podGarbage;
  private final Rounds nodeHealth;

  private Controllers(ClusterApi api, Clock clock, Duration kubeletPatience) {
    this.workloads = new Workloads(api, clock);
    this.garbage = new GarbageCollector(workloads);
    this.podGarbage =
        Rounds.start(
            "pod-garbage-collector", PodGarbage.INTERVAL, new PodGarbage(workloads)::round);
    this.nodeHealth =
        Rounds.start(
            "node-health",
            kubeletPatience.dividedBy(NodeHealth.LOOKS),
            new NodeHealth(workloads, kubeletPatience)::round);
  }

  /**
   * Starts all controllers.
   *
   * @param kubeletPatience time without a kubelet heartbeat after which a node is marked
   *     unreachable
   */
  public static Controllers start(ClusterApi api, Clock clock, Duration kubeletPatience) {
    Controllers controllers = new Controllers(api, clock, kubeletPatience);
    controllers.wire();
    return controllers;
  }

  private void wire() {
    ReplicaSetController replicaSetController =
        new ReplicaSetController(workloads, workloads.replicaSets, "replicaset-controller");
    ReplicaSetController replicationController =
        new ReplicaSetController(
            workloads, workloads.replicationControllers, "replication-controller");
    VolumeBinding volumeBinding = new VolumeBinding(workloads);
    DeploymentController deploymentController = new DeploymentController(workloads);
    JobController jobController = new JobController(workloads);
    StatefulSetController statefulSetController = new StatefulSetController(workloads);
    DaemonSetController daemonSetController = new DaemonSetController(workloads);
    EphemeralVolumes ephemeralVolumes = new EphemeralVolumes(workloads);
    DeviceClaims deviceClaims = new DeviceClaims(workloads);
    DisruptionController disruptionController = new DisruptionController(workloads);
    NodeTaints nodeTaints = new NodeTaints(workloads);
    TaintEviction taintEviction = new TaintEviction(workloads);
    NamespaceContents contents = new NamespaceContents(workloads);
    QuotaController quotaController = new QuotaController(workloads);

    WorkQueue sets = queue("replicaset-controller", replicaSetController::reconcile);
    WorkQueue replications = queue("replication-controller", replicationController::reconcile);
    WorkQueue deployments = queue("deployment-controller", deploymentController::reconcile);
    WorkQueue jobs = queue("job-controller", jobController::reconcile);
    WorkQueue statefulSets = queue("statefulset-controller", statefulSetController::reconcile);
    WorkQueue daemonSets = queue("daemonset-controller", daemonSetController::reconcile);
    WorkQueue ephemeral = queue("ephemeral-volume-controller", ephemeralVolumes::reconcile);
    WorkQueue podClaims = queue("resource-claim-controller", deviceClaims::reconcilePod);
    WorkQueue claimUsers = queue("resource-claim-users", deviceClaims::reconcileClaim);
    WorkQueue budgets = queue("disruption-controller", disruptionController::reconcile);
    WorkQueue nodes = queue("node-lifecycle-controller", nodeTaints::reconcile);
    WorkQueue evictions = queue("taint-eviction-controller", taintEviction::reconcile);
    WorkQueue namespaces = queue("serviceaccount-controller", contents::reconcile);
    WorkQueue quotas = queue("resourcequota-controller", quotaController::reconcile);

    WorkQueue podAdoption = queue("pod-adoption", workloads.podAdoption::reconcile);
    WorkQueue setAdoption = queue("replicaset-adoption", workloads.setAdoption::reconcile);
    WorkQueue claims = queue("persistentvolume-binder", volumeBinding::reconcileClaim);
    WorkQueue volumes = queue("persistentvolume-controller", volumeBinding::reconcileVolume);

    Map<String, WorkQueue> podOwners =
        Map.of(
            "ReplicaSet",
            sets,
            "ReplicationController",
            replications,
            "Job",
            jobs,
            "StatefulSet",
            statefulSets,
            "DaemonSet",
            daemonSets);
    Consumer<StoredObject> podChanged =
        pod -> {
          String namespace = pod.key().namespace();
          toController(pod, podOwners);
          workloads.keys(disruptionController.budgets(), namespace).forEach(budgets::add);
        };
    Consumer<StoredObject> podEnded =
        pod -> workloads.keys(quotaController.quotas(), pod.key().namespace()).forEach(quotas::add);
    feed(
        workloads.pods,
        pod -> {
          workloads.ownedPods.put(pod).ifPresent(old -> toController(old, podOwners));
          podChanged.accept(pod);
          if (Pods.isOver(pod.json())) {
            podEnded.accept(pod);
            deviceClaims.claimsOf(pod).forEach(claimUsers::add);
          }
          if (deviceClaims.concerns(pod)) {
            podClaims.add(pod.key());
          }
          if (workloads.podAdoption.concerns(pod)) {
            podAdoption.add(pod.key());
          }
          if (taintEviction.concerns(pod)) {
            evictions.add(pod.key());
          }
          if (ephemeralVolumes.concerns(pod)) {
            ephemeral.add(pod.key());
          }
        },
        pod -> {
          workloads.ownedPods.remove(pod.key());
          podChanged.accept(pod);
          podEnded.accept(pod);
          deviceClaims.claimsOf(pod).forEach(claimUsers::add);
        });
    feed(deviceClaims.claims(), claim -> claimUsers.add(claim.key()), gone -> {});
    feed(
        deviceClaims.templates(),
        template ->
            workloads.keys(workloads.pods, template.key().namespace()).forEach(podClaims::add),
        gone -> {});
    Map<String, WorkQueue> setOwners = Map.of("Deployment", deployments);
    feed(
        workloads.replicaSets,
        set -> {
          workloads.ownedSets.put(set).ifPresent(old -> toController(old, setOwners));
          sets.add(set.key());
          toController(set, setOwners);
          if (workloads.setAdoption.concerns(set)) {
            setAdoption.add(set.key());
          }
        },
        set -> {
          workloads.ownedSets.remove(set.key());
          workloads.podAdoption.forget(set);
          toController(set, setOwners);
        });
    feed(
        workloads.replicationControllers,
        controller -> replications.add(controller.key()),
        workloads.podAdoption::forget);
    feed(
        workloads.deployments,
        deployment -> deployments.add(deployment.key()),
        workloads.setAdoption::forget);
    feed(workloads.jobs, job -> jobs.add(job.key()), workloads.podAdoption::forget);
    feed(workloads.statefulSets, set -> statefulSets.add(set.key()), workloads.podAdoption::forget);
    feed(workloads.daemonSets, set -> daemonSets.add(set.key()), workloads.podAdoption::forget);
    feed(disruptionController.budgets(), budget -> budgets.add(budget.key()), gone -> {});
    feed(
        nodeTaints.nodes(),
        node -> {
          nodes.add(node.key());
          taintEviction.nodeChanged(node).forEach(pod -> evictions.add(pod.key()));
          workloads.keys(workloads.daemonSets, null).forEach(daemonSets::add);
        },
        gone -> workloads.keys(workloads.daemonSets, null).forEach(daemonSets::add));
    feed(contents.namespaces(), namespace -> namespaces.add(namespace.key()), gone -> {});
    feed(
        contents.copied(),
        changed -> {},
        gone -> namespaces.add(ObjectKey.clusterScoped(gone.key().namespace())));
    feed(
        quotaController.quotas(),
        quota -> {
          if (quotaController.limitsChanged(quota)) {
            quotas.add(quota.key());
          }
        },
        gone -> {});
    feed(
        volumeBinding.claims(),
        claim -> {
          claims.add(claim.key());
          volumeBinding.volumeOf(claim).ifPresent(volumes::add);
        },
        claim -> volumeBinding.volumeOf(claim).ifPresent(volumes::add));
    feed(
        volumeBinding.volumes(),
        volume -> {
          volumes.add(volume.key());
          volumeBinding.claimsFor(volume).forEach(claims::add);
        },
        volume -> volumeBinding.claimsFor(volume).forEach(claims::add));
  }

  /** Enqueues the controller of an object, if its kind has a queue in the map. */
  private static void toController(StoredObject object, Map<String, WorkQueue> controllers) {
    OwnedObjects.controller(object.json())
        .ifPresent(
            owner -> {
              WorkQueue queue = controllers.get(owner.path("kind").asText());
              if (queue != null) {
                queue.add(new ObjectKey(object.key().namespace(), owner.path("name").asText()));
              }
            });
  }

  private WorkQueue queue(String name, WorkQueue.Reconciler reconciler) {
    WorkQueue queue = WorkQueue.start(name, reconciler);
    queues.add(queue);
    return queue;
  }

  private void feed(
      ResourceType type, Consumer<StoredObject> upserted, Consumer<StoredObject> removed) {
    feeds.add(
        StoreFeed.start(
            workloads.api.store(),
            type.storage(),
            new StoreFeed.Listener() {
              @Override
              public void upserted(StoredObject object) {
                upserted.accept(object);
              }

              @Override
              public void removed(StoredObject object) {
                removed.accept(object);
              }
            }));
  }

  /** Stops all controllers. */
  @Override
  public void close() {
    feeds.forEach(StoreFeed::close);
    queues.forEach(WorkQueue::close);
    garbage.close();
    podGarbage.close();
    nodeHealth.close();
  }
}
