package io.berth.engine.model;

import io.berth.engine.PodRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A builder of pods and their specs, from scratch or from an existing pod. Setting a list or map
 * replaces its content; adding an element keeps it.
 */
public final class Pods {
  private static final long UNASKED_MILLI_CPU = 100;
  private static final long UNASKED_MEMORY_BYTES = 200L << 20;

  private PodRef ref;
  private String schedulerName = "berth";
  private String policy = "";
  private Map<String, String> labels = new HashMap<>();
  private Optional<Controller> controller = Optional.empty();
  private Optional<GroupMembership> group = Optional.empty();
  private String nodeName = "";
  private String nominatedNode = "";
  private boolean finished;
  private boolean succeeded;
  private boolean terminating;
  private boolean preempted;
  private List<String> gates = List.of();
  private Instant createdAt = Instant.EPOCH;
  private Optional<Instant> startedAt = Optional.empty();
  private RunTime runTime = RunTime.endless();
  private Optional<CardAssignment> givenCards = Optional.empty();
  private boolean awaitsCards;

  private int priority;
  private String priorityClass = "";
  private boolean neverPreempts;
  private String requestedNode = "";
  private final Map<String, Long> asked = new TreeMap<>();
  private Optional<PodRequests> requests = Optional.empty();
  private NodeSelection nodes = NodeSelection.none();
  private List<Toleration> tolerations = new ArrayList<>();
  private PodAffinity affinity = PodAffinity.none();
  private List<SpreadConstraint> spread = new ArrayList<>();
  private List<HostPort> ports = new ArrayList<>();
  private PodImages images = new PodImages(List.of(), 1);
  private List<PodVolume> volumes = new ArrayList<>();
  private Set<String> requiredFeatures = Set.of();
  private List<String> resourceClaims = List.of();
  private ResourceAmounts virtualRequest = ResourceAmounts.none();
  private PodCards cards = PodCards.none();

  private Pods(PodRef ref) {
    this.ref = ref;
  }

  /**
   * Starts with a pending pod of namespace {@code default} for scheduler {@code berth}, with UID
   * {@code uid-<name>} and one container without requests.
   */
  public static Pods pod(String name) {
    return new Pods(new PodRef("default", name, "uid-" + name));
  }

  /** Starts with a copy of a pod. */
  public static Pods from(PodModel pod) {
    Pods copy = new Pods(pod.ref()).spec(pod.spec());
    copy.schedulerName = pod.schedulerName();
    copy.policy = pod.policy();
    copy.labels = new HashMap<>(pod.labels());
    copy.controller = pod.controller();
    copy.group = pod.group();
    copy.nodeName = pod.nodeName();
    copy.nominatedNode = pod.nominatedNode();
    copy.finished = pod.finished();
    copy.succeeded = pod.succeeded();
    copy.terminating = pod.terminating();
    copy.preempted = pod.preempted();
    copy.gates = pod.gates();
    copy.createdAt = pod.createdAt();
    copy.startedAt = pod.startedAt();
    copy.runTime = pod.runTime();
    copy.givenCards = pod.cards();
    copy.awaitsCards = pod.awaitsCards();
    return copy;
  }

  /** Starts with a copy of a spec. */
  public static Pods from(PodSpec spec) {
    return pod("pod").spec(spec);
  }

  // ---------------------------------------------------------------------------------- the pod

  public Pods ref(PodRef ref) {
    this.ref = ref;
    return this;
  }

  public Pods namespace(String namespace) {
    this.ref = new PodRef(namespace, ref.name(), ref.uid());
    return this;
  }

  public Pods schedulerName(String name) {
    this.schedulerName = name;
    return this;
  }

  /** Sets the SchedulingPolicy; an empty name means the default. */
  public Pods policy(String name) {
    this.policy = name;
    return this;
  }

  public Pods label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  public Pods labels(Map<String, String> labels) {
    this.labels = new HashMap<>(labels);
    return this;
  }

  public Pods controller(Controller controller) {
    this.controller = Optional.of(controller);
    return this;
  }

  /** Makes the pod a member of a group that an object describes. */
  public Pods memberOf(GroupRef group) {
    return memberOf(new GroupMembership(group, "", Optional.empty()));
  }

  /** Makes the pod a member of a group that it describes itself. */
  public Pods memberOf(GroupModel group) {
    return memberOf(new GroupMembership(group.ref(), "", Optional.of(group)));
  }

  public Pods memberOf(GroupMembership membership) {
    this.group = Optional.of(membership);
    return this;
  }

  /** Binds the pod to a node; an empty name means none. */
  public Pods on(String nodeName) {
    this.nodeName = nodeName;
    return this;
  }

  public Pods nominatedNode(String nodeName) {
    this.nominatedNode = nodeName;
    return this;
  }

  public Pods finished(boolean finished) {
    this.finished = finished;
    return this;
  }

  /** Marks the pod as succeeded. */
  public Pods succeeded() {
    this.finished = true;
    this.succeeded = true;
    return this;
  }

  public Pods terminating(boolean terminating) {
    this.terminating = terminating;
    return this;
  }

  public Pods preempted(boolean preempted) {
    this.preempted = preempted;
    return this;
  }

  public Pods gates(String... gates) {
    this.gates = List.of(gates);
    return this;
  }

  public Pods createdAt(Instant time) {
    this.createdAt = time;
    return this;
  }

  public Pods startedAt(Optional<Instant> time) {
    this.startedAt = time;
    return this;
  }

  public Pods runTime(RunTime time) {
    this.runTime = time;
    return this;
  }

  /** Assigns these GPU cards of its node to the pod. */
  public Pods givenCards(Optional<CardAssignment> cards) {
    this.givenCards = cards;
    return this;
  }

  /** Sets whether the agent of the pod's node still has to assign the pod's cards. */
  public Pods awaitsCards(boolean awaits) {
    this.awaitsCards = awaits;
    return this;
  }

  public PodModel build() {
    return new PodModel(
        ref,
        schedulerName,
        policy,
        labels,
        spec(),
        controller,
        group,
        nodeName,
        nominatedNode,
        finished,
        succeeded,
        terminating,
        preempted,
        gates,
        createdAt,
        startedAt,
        runTime,
        givenCards,
        awaitsCards);
  }

  // ---------------------------------------------------------------------------------- its spec

  /** Replaces the whole spec. */
  public Pods spec(PodSpec spec) {
    priority = spec.priority();
    priorityClass = spec.priorityClass();
    neverPreempts = spec.neverPreempts();
    requestedNode = spec.requestedNode();
    requests = Optional.of(spec.requests());
    nodes = spec.nodes();
    tolerations = new ArrayList<>(spec.tolerations());
    affinity = spec.affinity();
    spread = new ArrayList<>(spec.spread());
    ports = new ArrayList<>(spec.ports());
    images = spec.images();
    volumes = new ArrayList<>(spec.volumes());
    requiredFeatures = spec.requiredFeatures();
    resourceClaims = spec.resourceClaims();
    cards = spec.cards();
    virtualRequest = spec.virtualRequest();
    return this;
  }

  public Pods priority(int priority) {
    this.priority = priority;
    return this;
  }

  /** Sets the name of its PriorityClass. */
  public Pods priorityClass(String name) {
    this.priorityClass = name;
    return this;
  }

  public Pods neverPreempts(boolean never) {
    this.neverPreempts = never;
    return this;
  }

  public Pods requestedNode(String nodeName) {
    this.requestedNode = nodeName;
    return this;
  }

  public Pods milliCpu(long amount) {
    return asks(ResourceAmounts.CPU, amount);
  }

  public Pods memoryBytes(long amount) {
    return asks(ResourceAmounts.MEMORY, amount);
  }

  /**
   * Requests an amount of a resource, in the units of {@link ResourceAmounts}. CPU and memory
   * without a request count in scores as those of one container.
   */
  public Pods asks(String resource, long amount) {
    asked.put(resource, amount);
    requests = Optional.empty();
    return this;
  }

  public Pods requests(PodRequests requests) {
    this.requests = Optional.of(requests);
    return this;
  }

  public Pods nodes(NodeSelection nodes) {
    this.nodes = nodes;
    return this;
  }

  public Pods toleration(Toleration toleration) {
    tolerations.add(toleration);
    return this;
  }

  public Pods tolerations(List<Toleration> tolerations) {
    this.tolerations = new ArrayList<>(tolerations);
    return this;
  }

  public Pods affinity(PodAffinity affinity) {
    this.affinity = affinity;
    return this;
  }

  public Pods spread(SpreadConstraint constraint) {
    spread.add(constraint);
    return this;
  }

  public Pods spread(List<SpreadConstraint> constraints) {
    this.spread = new ArrayList<>(constraints);
    return this;
  }

  public Pods port(HostPort port) {
    ports.add(port);
    return this;
  }

  public Pods ports(List<HostPort> ports) {
    this.ports = new ArrayList<>(ports);
    return this;
  }

  /** Adds a container for each of these images, whose names have tags. */
  public Pods images(String... names) {
    return images(new PodImages(List.of(names), names.length));
  }

  public Pods images(PodImages images) {
    this.images = images;
    return this;
  }

  public Pods volume(PodVolume volume) {
    volumes.add(volume);
    return this;
  }

  public Pods volumes(List<PodVolume> volumes) {
    this.volumes = new ArrayList<>(volumes);
    return this;
  }

  public Pods requiredFeatures(String... names) {
    this.requiredFeatures = Set.of(names);
    return this;
  }

  public Pods resourceClaims(List<String> claims) {
    this.resourceClaims = claims;
    return this;
  }

  /** Requests GPU cards, or shares of them. */
  public Pods cards(PodCards cards) {
    this.cards = cards;
    return this;
  }

  /** Declares the pod's expected usage of a resource. */
  public Pods virtuallyAsks(String resource, long amount) {
    Map<String, Long> amounts = new HashMap<>();
    for (int i = 0; i < virtualRequest.size(); i++) {
      amounts.put(virtualRequest.name(i), virtualRequest.amount(i));
    }
    amounts.put(resource, amount);
    virtualRequest = ResourceAmounts.of(amounts);
    return this;
  }

  public PodSpec spec() {
    return new PodSpec(
        priority,
        priorityClass,
        neverPreempts,
        requestedNode,
        requests.orElseGet(this::requestsOfAsked),
        nodes,
        tolerations,
        affinity,
        spread,
        ports,
        images,
        volumes,
        requiredFeatures,
        resourceClaims,
        cards,
        virtualRequest);
  }

  private PodRequests requestsOfAsked() {
    return PodRequests.of(
        ResourceAmounts.of(asked),
        asked.getOrDefault(ResourceAmounts.CPU, UNASKED_MILLI_CPU),
        asked.getOrDefault(ResourceAmounts.MEMORY, UNASKED_MEMORY_BYTES));
  }
}
