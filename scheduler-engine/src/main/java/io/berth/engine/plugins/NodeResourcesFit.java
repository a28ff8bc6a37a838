package io.berth.engine.plugins;

import io.berth.engine.devices.DeviceClass;
import io.berth.engine.devices.DeviceClasses;
import io.berth.engine.framework.AmountsTrial;
import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.GroupRoom;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.LeastImportantPods;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodColumns;
import io.berth.engine.state.ResourceNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rejects nodes with insufficient free resources for the pod's requests, and scores nodes by the
 * resources that would be requested with the pod.
 *
 * @param ignored the names of extended resources to ignore
 * @param ignoredGroups the prefixes (before the slash) of extended resources to ignore
 */
public record NodeResourcesFit(
    Set<String> ignored, Set<String> ignoredGroups, ScoringStrategy strategy)
    implements FilterPlugin, ScorePlugin {
  record FilterQuestion(ResourceAmounts asked) {}

  record ScoreQuestion(List<Long> asked, ScoringStrategy strategy) {}

  public NodeResourcesFit {
    ignored = Set.copyOf(ignored);
    ignoredGroups = Set.copyOf(ignoredGroups);
  }

  /**
   * Creates the plugin with all resources; scores prefer free CPU and memory, with equal weights.
   */
  public NodeResourcesFit() {
    this(new ScoringStrategy.LeastAllocated(WeightedResource.CPU_AND_MEMORY));
  }

  /** Creates the plugin with all resources and this strategy. */
  public NodeResourcesFit(ScoringStrategy strategy) {
    this(Set.of(), Set.of(), strategy);
  }

  /** Parses the arguments of the filter. */
  public static NodeResourcesFit readFilter(Arguments arguments) {
    arguments.isForScores("scoringStrategy");
    List<String> groups = arguments.texts("ignoredResourceGroups");
    for (String group : groups) {
      if (group.contains("/")) {
        arguments.problem(
            "ignoredResourceGroups", "\"" + group + "\" must not contain \"/\"; give the prefix");
      }
    }
    List<String> ignored = arguments.texts("ignoredResources");
    for (String name : ignored) {
      if (WeightedResource.isNative(name)) {
        arguments.problem(
            "ignoredResources",
            "\""
                + name
                + "\" cannot be ignored; only extended resources, such as nvidia.com/gpu, can");
      } else {
        WeightedResource.checkName(arguments, "ignoredResources", name);
      }
    }
    return new NodeResourcesFit(
        Set.copyOf(ignored), Set.copyOf(groups), new NodeResourcesFit().strategy());
  }

  /** Parses the arguments of the score. */
  public static NodeResourcesFit readScore(Arguments arguments) {
    arguments.isForFilters("ignoredResources");
    arguments.isForFilters("ignoredResourceGroups");
    return new NodeResourcesFit(ScoringStrategy.read(arguments.object("scoringStrategy")));
  }

  @Override
  public String name() {
    return "NodeResourcesFit";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    FilterQuestion question = new FilterQuestion(lookedAt(shape.spec().requests().asked()));
    return Optional.of(state.answers().acquire(question, () -> new FilterAnswer(question, state)));
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    long[] asked = ResourceFigures.asked(shape, strategy.resources(), true);
    ScoreQuestion question = new ScoreQuestion(Arrays.stream(asked).boxed().toList(), strategy);
    return Optional.of(
        state.answers().acquire(question, () -> new ScoreAnswer(question, asked, state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node ->
          Cure.of(
              (shape, state) -> {
                ResourceAmounts asked = askedBy(shape);
                return fits(asked, node.after(), state.devices().classes())
                    && (node.before() == null || offersMore(asked, node.before(), node.after()));
              });
      case Change.PodGone pod when pod.nodeName().isEmpty() -> Cure.all();
      case Change.PodGone pod ->
          Cure.of(
              (shape, state) ->
                  RoomWithoutLower.on(pod.nodeName(), evictsBelow(shape), state)
                      .map(room -> room.fits(askedBy(shape)))
                      .orElse(false));
      case Change.NodeReadable node -> Cure.all();
      case Change.PodChanged(PodModel before, PodModel after) ->
          Cure.of(
              (shape, state) ->
                  holdsLess(
                      askedBy(shape),
                      before.spec().requests().held(),
                      after.spec().requests().held()));
      case Change.SelfChanged self -> Cure.all();
      case Change.DevicesChanged devices ->
          devices.after() instanceof DeviceClass deviceClass
              ? Cure.of((shape, state) -> serves(deviceClass, askedBy(shape)))
              : Cure.none();
      default -> Cure.none();
    };
  }

  private ResourceAmounts askedBy(PodShape shape) {
    return lookedAt(shape.spec().requests().asked());
  }

  private static boolean serves(DeviceClass deviceClass, ResourceAmounts asked) {
    return asked.amountOf(DeviceClass.RESOURCE_PREFIX + deviceClass.name()) > 0
        || deviceClass.extendedResource().map(name -> asked.amountOf(name) > 0).orElse(false);
  }

  /**
   * Returns the CPU request: the resource that most pending pods wait for, and that is never
   * ignored.
   */
  @Override
  public long needOf(PodShape shape) {
    return shape.spec().requests().asked().amountOf(ResourceAmounts.CPU);
  }

  @Override
  public long offeredBy(Change change, int priority, ClusterState state) {
    return switch (change) {
      case Change.NodeChanged node -> node.after().allocatable().amountOf(ResourceAmounts.CPU);
      case Change.PodGone pod when !pod.nodeName().isEmpty() ->
          // A pod without a request may fit even if the node is overcommitted.
          RoomWithoutLower.on(pod.nodeName(), priority, state)
              .map(room -> Math.max(0, room.free(ResourceAmounts.CPU)))
              .orElse(0L);
      default -> Long.MAX_VALUE;
    };
  }

  /** Returns the priority below which pods may be evicted for a pod of this shape. */
  private static int evictsBelow(PodShape shape) {
    return shape.spec().neverPreempts() ? Integer.MIN_VALUE : shape.spec().priority();
  }

  private static boolean fits(ResourceAmounts asked, NodeModel node, DeviceClasses classes) {
    if (node.allocatable().amountOf(ResourceAmounts.PODS) < 1) {
      return false;
    }
    for (int i = 0; i < asked.size(); i++) {
      long allocatable = node.allocatable().amountOf(asked.name(i));
      if (asked.amount(i) > allocatable
          && !(allocatable <= 0 && classes.servingResource(asked.name(i)).isPresent())) {
        return false;
      }
    }
    return true;
  }

  private static boolean offersMore(ResourceAmounts asked, NodeModel before, NodeModel after) {
    if (after.allocatable().amountOf(ResourceAmounts.PODS)
        > before.allocatable().amountOf(ResourceAmounts.PODS)) {
      return true;
    }
    for (int i = 0; i < asked.size(); i++) {
      String name = asked.name(i);
      if (asked.amount(i) > 0
          && after.allocatable().amountOf(name) > before.allocatable().amountOf(name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean holdsLess(
      ResourceAmounts asked, ResourceAmounts before, ResourceAmounts after) {
    for (int i = 0; i < asked.size(); i++) {
      if (asked.amount(i) > 0 && before.amountOf(asked.name(i)) > after.amountOf(asked.name(i))) {
        return true;
      }
    }
    return false;
  }

  private ResourceAmounts lookedAt(ResourceAmounts asked) {
    if (ignored.isEmpty() && ignoredGroups.isEmpty()) {
      return asked;
    }
    Map<String, Long> kept = new HashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      String name = asked.name(i);
      int slash = name.indexOf('/');
      boolean skip =
          slash > 0 && (ignored.contains(name) || ignoredGroups.contains(name.substring(0, slash)));
      if (!skip) {
        kept.put(name, asked.amount(i));
      }
    }
    return ResourceAmounts.of(kept);
  }

  /**
   * The verdicts, represented as bits until they are named: the insufficient resources, and whether
   * even an empty node would be insufficient.
   */
  private static final class FilterAnswer extends NodeFilter implements DryRunHints, GroupRoom {
    private static final int TOO_MANY_PODS = 1;
    private final String[] names;
    private final int[] columns;
    private final long[] asked;

    /** The amounts that no pods hold. */
    private final long[] nothing;

    private final Map<Long, Integer> idOfBits = new HashMap<>();
    private long lastBits;
    private int lastId;
    private final int unknown;
    private long columnsVersion = -1;
    private long classesVersion;

    /** Marks the resources that devices serve on nodes that do not offer them themselves. */
    private final boolean[] served;

    private boolean servedOtherwise;

    /** The room to sort amounts in, so that no array is created for each node. */
    private long[] held = {};

    FilterAnswer(FilterQuestion question, ClusterState state) {
      super(question, state, state.nodes().capacityLog());
      this.unknown =
          idOf(Verdict.unresolvable("node(s) had a pod whose requests cannot be parsed"));
      List<Integer> asking = new ArrayList<>();
      ResourceAmounts amounts = question.asked();
      for (int i = 0; i < amounts.size(); i++) {
        if (amounts.amount(i) > 0) {
          asking.add(i);
        }
      }
      asking.sort((a, b) -> Integer.compare(rank(amounts.name(a)), rank(amounts.name(b))));
      this.names = new String[asking.size()];
      this.columns = new int[names.length];
      this.asked = new long[names.length];
      this.nothing = new long[names.length];
      this.served = new boolean[names.length];
      for (int i = 0; i < names.length; i++) {
        names[i] = amounts.name(asking.get(i));
        asked[i] = amounts.amount(asking.get(i));
      }
    }

    private static int rank(String name) {
      return switch (name) {
        case ResourceAmounts.CPU -> ResourceNames.CPU;
        case ResourceAmounts.MEMORY -> ResourceNames.MEMORY;
        case ResourceAmounts.EPHEMERAL_STORAGE -> ResourceNames.EPHEMERAL_STORAGE;
        default -> ResourceNames.EPHEMERAL_STORAGE + 1;
      };
    }

    /** Looks up the columns, because a resource has one only while any node offers it. */
    @Override
    public void refreshInputs() {
      if (columnsVersion != state.resources().version()) {
        columnsVersion = state.resources().version();
        for (int i = 0; i < names.length; i++) {
          columns[i] = state.resources().idOf(names[i]);
        }
      }
      DeviceClasses classes = state.devices().classes();
      if (classesVersion != classes.version()) {
        classesVersion = classes.version();
        for (int i = 0; i < names.length; i++) {
          boolean before = served[i];
          served[i] = classes.servingResource(names[i]).isPresent();
          servedOtherwise |= before != served[i];
        }
      }
    }

    @Override
    protected boolean recheckByInputs() {
      boolean all = servedOtherwise;
      servedOtherwise = false;
      return all;
    }

    @Override
    protected int check(int slot) {
      return verdict(slot, 0, nothing);
    }

    /**
     * Returns the verdict on the node without some of its pods.
     *
     * @param gone the number of these pods
     * @param freed the amounts that they hold, by number of the asked resource
     */
    private int verdict(int slot, int gone, long[] freed) {
      if (isUnknown(slot)) {
        return unknown;
      }
      long bits = nodes.podCount(slot) - gone + 1 > nodes.maxPods(slot) ? TOO_MANY_PODS : 0;
      long hopeless = 0;
      for (int i = 0; i < asked.length; i++) {
        long allocatable = nodes.allocatable(columns[i], slot);
        if (asked[i] > allocatable - nodes.requested(columns[i], slot) + freed[i]
            && !(served[i] && allocatable <= 0)) {
          bits |= 2L << Math.min(i, 60);
          hopeless |= asked[i] > allocatable ? Long.MIN_VALUE : 0;
        }
      }
      if (bits == 0) {
        return PASSES;
      }
      bits |= hopeless;
      if (bits != lastBits) {
        lastBits = bits;
        lastId = idOfBits.computeIfAbsent(bits, this::describe);
      }
      return lastId;
    }

    /** The node's name is looked up only if there are any such nodes: its object is far away. */
    private boolean isUnknown(int slot) {
      return state.unreadable().size() > 0 && state.unreadable().areOn(nodes.name(slot));
    }

    @Override
    public Optional<GroupRoom> groupRoom() {
      return Optional.of(this);
    }

    @Override
    public DryRunHints dryRunHints() {
      return this;
    }

    @Override
    public int room(int slot) {
      if (isUnknown(slot)) {
        return 0;
      }
      long room = Math.max(0, nodes.maxPods(slot) - nodes.podCount(slot));
      for (int i = 0; i < asked.length && room > 0; i++) {
        long allocatable = nodes.allocatable(columns[i], slot);
        if (served[i] && allocatable <= 0) {
          continue;
        }
        long free = allocatable - nodes.requested(columns[i], slot);
        room = Math.min(room, Math.max(0, free) / asked[i]);
      }
      return (int) Math.min(Integer.MAX_VALUE, room);
    }

    @Override
    public Optional<String> tooLargeFor(NodeSet among) {
      state.work().spend(among.size());
      return new TooLargeRequest(names, asked, columns, served).text(nodes, among);
    }

    @Override
    public Map<String, Long> taken() {
      Map<String, Long> taken = new HashMap<>();
      taken.put(ResourceAmounts.PODS, 1L);
      for (int i = 0; i < asked.length; i++) {
        if (!served[i]) {
          taken.put(names[i], asked[i]);
        }
      }
      return taken;
    }

    @Override
    public boolean hasTrial() {
      return true;
    }

    @Override
    public AmountsTrial trial(int slot) {
      refreshInputs();
      return new AmountsTrial() {
        private final long[] freed = new long[asked.length];
        private int gone;

        @Override
        public void leave(PodColumns pods, int i) {
          change(pods, i, 1);
        }

        @Override
        public void putBack(PodColumns pods, int i) {
          change(pods, i, -1);
        }

        private void change(PodColumns pods, int i, int sign) {
          gone += sign;
          for (int number = 0; number < freed.length; number++) {
            freed[number] += sign * pods.held(columns[number], i);
          }
        }

        @Override
        public int verdict() {
          return FilterAnswer.this.verdict(slot, gone, freed);
        }
      };
    }

    @Override
    public int fewestToLeave(int slot, PodColumns pods, int mayLeave) {
      long fewest = Math.max(1, nodes.podCount(slot) + 1L - nodes.maxPods(slot));
      for (int i = 0; i < asked.length; i++) {
        long missing = missing(i, slot);
        if (missing > 0) {
          fewest = Math.max(fewest, fewestThatHold(columns[i], missing, pods, mayLeave));
        }
      }
      return (int) Math.min(mayLeave, fewest);
    }

    @Override
    public int fewestToLeave(int slot, int below) {
      LeastImportantPods bounds = nodes.leastImportant();
      long fewest = Math.max(1, nodes.podCount(slot) + 1L - nodes.maxPods(slot));
      for (int i = 0; i < asked.length; i++) {
        long missing = missing(i, slot);
        if (missing > 0) {
          fewest = Math.max(fewest, bounds.fewestThatHold(columns[i], missing, below, slot));
        }
      }
      return (int) Math.min(nodes.podCount(slot), fewest);
    }

    /** Returns how much of a resource the pod lacks on the node; not positive if it lacks none. */
    private long missing(int i, int slot) {
      long allocatable = nodes.allocatable(columns[i], slot);
      return served[i] && allocatable <= 0
          ? 0
          : asked[i] - (allocatable - nodes.requested(columns[i], slot));
    }

    /**
     * Returns the smallest number of the first pods that hold this much of a resource together; all
     * of them if they hold less.
     */
    private int fewestThatHold(int column, long missing, PodColumns pods, int count) {
      if (held.length < count) {
        held = new long[count * 2];
      }
      for (int i = 0; i < count; i++) {
        held[i] = pods.held(column, i);
      }
      Arrays.sort(held, 0, count);
      int fewest = 0;
      for (long left = missing; left > 0 && fewest < count; fewest++) {
        left -= held[count - 1 - fewest];
      }
      return fewest;
    }

    private int describe(long bits) {
      List<String> reasons = new ArrayList<>();
      if ((bits & TOO_MANY_PODS) != 0) {
        reasons.add("Too many pods");
      }
      for (int i = 0; i < names.length; i++) {
        if ((bits & 2L << Math.min(i, 60)) != 0) {
          reasons.add("Insufficient " + names[i]);
        }
      }
      return idOf(Verdict.of(bits >= 0, reasons));
    }
  }

  private static final class ScoreAnswer extends NodeScorer {
    private final ScoringStrategy strategy;
    private final ResourceFigures figures;

    ScoreAnswer(ScoreQuestion question, long[] asked, ClusterState state) {
      super(question, state, Scale.Kind.NONE, state.nodes().capacityLog());
      this.strategy = question.strategy();
      this.figures = new ResourceFigures(state, strategy.resources(), asked, true);
    }

    @Override
    protected boolean refreshInputs(NodeSet feasible) {
      figures.locate();
      return false;
    }

    @Override
    protected int score(int slot) {
      figures.read(slot);
      return strategy.score(figures);
    }
  }
}
