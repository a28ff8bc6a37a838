package io.berth.engine.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.ResourceAmounts;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The allocation of devices in cases that the vectors of kube-scheduler leave out. The expectations
 * follow from its allocator, oddities included.
 */
class DeviceAllocationTest {
  private static final String NONE = "cannot allocate all claims";
  private final DeviceObjects objects = new DeviceObjects();

  private static String request(String name, String more) {
    return "{'name':'%s','exactly':{'deviceClassName':'gpu','allocationMode':'ExactCount','count':1%s}}"
        .formatted(name, more);
  }

  private static String count(String name, long count) {
    return "{'name':'%s','exactly':{'deviceClassName':'gpu','count':%d}}".formatted(name, count);
  }

  private static String all(String name) {
    return "{'name':'%s','exactly':{'deviceClassName':'gpu','allocationMode':'All'}}"
        .formatted(name);
  }

  private static String named(String prefix, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "{'name':'%s%d'}".formatted(prefix, i))
        .collect(Collectors.joining(","));
  }

  // ---------------------------------------------------------------------------------- limits

  @Test
  void aClaimForMoreDevicesThanAResultHolds_isAnError_whateverTheNodeHas() {
    objects.devices("{'name':'d'}").claim("c", "'requests':[" + count("r", 33) + "]");

    assertThat(objects.plan())
        .isEqualTo("claim team/c: number of requested devices 33 exceeds the claim limit of 32");
  }

  @Test
  void countsWhoseSumOverflows_areAnError() {
    objects
        .devices("{'name':'d'}")
        .claim(
            "c",
            "'requests':[" + count("a", Long.MAX_VALUE) + "," + count("b", Long.MAX_VALUE) + "]");

    assertThat(objects.plan()).contains("exceeds the claim limit of 32");
  }

  @Test
  void anAlternativeThatWouldExceedTheLimit_isPassedOver() {
    objects
        .devices(named("d", 40))
        .claim(
            "c",
            "'requests':["
                + count("r", 20)
                + ",{'name':'s','firstAvailable':[{'name':'many','deviceClassName':'gpu','count':13},"
                + "{'name':'few','deviceClassName':'gpu','count':1}]}]");

    assertThat(objects.plan()).endsWith("r=d19 s/few=d20");
  }

  @Test
  void asManyDevicesAsAResultHolds_areAllocated() {
    objects.devices(named("d", 40)).claim("c", "'requests':[" + count("r", 32) + "]");

    assertThat(objects.plan().split(" ")).hasSize(32);
  }

  @Test
  void aSearchWithoutEnd_endsInAMessage() {
    objects
        .devices(
            IntStream.range(0, 60)
                .mapToObj(
                    i -> "{'name':'d%02d','attributes':{'group':{'int':%d}}}".formatted(i, i / 5))
                .collect(Collectors.joining(",")))
        .claim(
            "c",
            "'requests':["
                + count("a", 8)
                + ","
                + count("b", 8)
                + "],'constraints':[{'requests':['b'],'matchAttribute':'gpu.example.com/group'}]");

    assertThat(objects.plan()).startsWith("gave up after looking at 200,000 devices");
  }

  /** Requests for all devices, of which each choice is made at once. */
  @Test
  void aSearchAmongAlternativesWithoutEnd_endsInAMessage() {
    String alternatives =
        IntStream.range(0, 8)
            .mapToObj(
                i -> "{'name':'a%d','deviceClassName':'gpu','allocationMode':'All'}".formatted(i))
            .collect(Collectors.joining(","));
    objects
        .deviceClass("none", "false")
        .devices("{'name':'d','allowMultipleAllocations':true}")
        .claim(
            "c",
            "'requests':["
                + IntStream.range(0, 31)
                    .mapToObj(
                        i -> "{'name':'r%d','firstAvailable':[%s]}".formatted(i, alternatives))
                    .collect(Collectors.joining(","))
                + ",{'name':'last','exactly':{'deviceClassName':'none','allocationMode':'All'}}]");

    assertThat(objects.plan()).startsWith("gave up after looking at 200,000 devices");
  }

  // ---------------------------------------------------------------------------------- malformed

  @Test
  void whatIsNotSupported_isRefused_andNotIgnored() {
    assertThat(
            new DeviceObjects()
                .devices("{'name':'d'}")
                .claim("c", "'requests':[" + request("r", ",'selectors':[{}]") + "]")
                .plan())
        .isEqualTo(
            "claim team/c, request r, selector #0: CEL expression empty (unsupported selector"
                + " type?)");
    assertThat(
            new DeviceObjects()
                .devices("{'name':'d'}")
                .claim(
                    "c",
                    "'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','allocationMode':'Best'}}]")
                .plan())
        .isEqualTo("claim team/c, request r: unsupported count mode Best");
    assertThat(
            new DeviceObjects()
                .devices("{'name':'d'}")
                .claim("c", "'requests':[" + request("r", "") + "],'constraints':[{}]")
                .plan())
        .isEqualTo("claim team/c, constraint #0: empty constraint (unsupported constraint type?)");
    assertThat(
            new DeviceObjects()
                .devices("{'name':'d'}")
                .claim("c", "'requests':[{'name':'r'}]")
                .plan())
        .isEqualTo("resource claim team/c, request r: unknown request type");
  }

  @Test
  void aDeviceThatTakesResourcesOfItsNode_isRefused() {
    assertThat(
            new DeviceObjects()
                .devices("{'name':'d','nodeAllocatableResources':{'cpu':{'quantity':'2'}}}")
                .claim("c", "'requests':[" + request("r", "") + "]")
                .plan())
        .isEqualTo(
            "claim team/c: device gpu.example.com/n1/d takes resources of its node"
                + " (nodeAllocatableResources), which is not supported");
  }

  @Test
  void aListAsAttribute_isAnErrorForSelectors_butOnlyOnDevicesThatAreLookedAt() {
    String list = "{'name':'%s','attributes':{'a':{'strings':['x']}}}";
    assertThat(
            new DeviceObjects()
                .devices(list.formatted("d"))
                .claim("c", "'requests':[" + request("r", "") + "]")
                .plan())
        .isEqualTo(
            "class gpu: selector #0: CEL runtime error: attribute a: unsupported attribute value");
    assertThat(
            new DeviceObjects()
                .devices("{'name':'first'}," + list.formatted("second"))
                .claim("c", "'requests':[" + request("r", "") + "]")
                .plan())
        .isEqualTo("r=first");
  }

  @Test
  void anExpressionThatDoesNotCompile_isAnError() {
    objects
        .devices("{'name':'d'}")
        .claim(
            "c",
            "'requests':[" + request("r", ",'selectors':[{'cel':{'expression':'no('}}]") + "]");

    assertThat(objects.plan())
        .startsWith("claim team/c: selector #0: CEL compile error: compilation failed: ");
  }

  // ---------------------------------------------------------------------------------- pools

  private static String pool(int generation, int slices) {
    return "'pool':{'name':'p','generation':%d,'resourceSliceCount':%d}"
        .formatted(generation, slices);
  }

  @Test
  void anOldGeneration_isIgnored_alsoWhereTheNewOneIsForAnotherNode() {
    objects
        .slice("old", "'nodeName':'n1'," + pool(1, 1) + ",'devices':[{'name':'old'}]")
        .claim("c", "'requests':[" + request("r", "") + "]");
    assertThat(objects.plan()).as("complete in itself").isEqualTo("r=old");

    objects.slice("new", "'nodeName':'n1'," + pool(2, 1) + ",'devices':[{'name':'new'}]");
    assertThat(objects.plan()).isEqualTo("r=new");
  }

  @Test
  void aPoolOfManyNodes_isReplacedAsAWhole() {
    objects
        .slice("a", "'nodeName':'n1'," + pool(1, 2) + ",'devices':[{'name':'a'}]")
        .slice("b", "'nodeName':'n2'," + pool(1, 2) + ",'devices':[{'name':'b'}]")
        .claim("c", "'requests':[" + request("r", "") + "]");
    assertThat(objects.plan("n1")).isEqualTo("r=a");

    objects.slice("b", "'nodeName':'n2'," + pool(2, 2) + ",'devices':[{'name':'b'}]");
    assertThat(objects.plan("n1")).as("the node's slice is obsolete").isEqualTo(NONE);
    assertThat(objects.plan("n2")).as("the new generation is incomplete").isEqualTo(NONE);

    objects.slice("a", "'nodeName':'n1'," + pool(2, 2) + ",'devices':[{'name':'a'}]");
    assertThat(objects.plan("n1")).isEqualTo("r=a");
    assertThat(objects.plan("n2")).isEqualTo("r=b");
  }

  @Test
  void allDevices_areNoneOfAnEmptySlice() {
    objects.devices("").claim("c", "'requests':[" + all("r") + "]");

    assertThat(objects.plan()).isEqualTo(NONE);
  }

  @Test
  void aPoolWithTheSameDeviceTwice_isInvalid_whichCountsOnlyWhereNoOtherHelps() {
    objects
        .slice("a", "'nodeName':'n1'," + pool(1, 2) + ",'devices':[{'name':'d'}]")
        .slice("b", "'nodeName':'n1'," + pool(1, 2) + ",'devices':[{'name':'d'}]")
        .claim("c", "'requests':[" + request("r", "") + "]");
    assertThat(objects.plan()).isEqualTo("invalid resource pools were encountered");

    objects.devices("{'name':'good'}");
    assertThat(objects.plan()).isEqualTo("r=good");
  }

  private DeviceObjects partitions(String node, String consumption) {
    String pool = "'pool':{'name':'%s','generation':1,'resourceSliceCount':2}".formatted(node);
    return objects
        .slice(
            node + "-counters",
            "'nodeName':'%s',%s,'sharedCounters':[{'name':'set','counters':{'memory':{'value':'40Gi'}}}]"
                .formatted(node, pool))
        .slice(
            node + "-devices",
            "'nodeName':'%s',%s,'devices':[%s]".formatted(node, pool, consumption));
  }

  private static String part(String name, String set, String amount) {
    return "{'name':'%s','consumesCounters':[{'counterSet':'%s','counters':{'memory':{'value':'%s'}}}]}"
        .formatted(name, set, amount);
  }

  @Test
  void invalidCountersOfOneNode_areSeenByAllNodes() {
    partitions("n1", part("d", "other", "10Gi"));
    partitions("n2", part("d", "set", "10Gi"));
    objects.claim("c", "'requests':[" + request("r", "") + "]");

    assertThat(objects.plan("n2")).isEqualTo("r=d");
    assertThat(objects.plan("n3")).isEqualTo("invalid resource pools were encountered");
    assertThat(objects.plan("n1")).isEqualTo("invalid resource pools were encountered");
  }

  @Test
  void devicesThatShareCounters_areAllocatedWhileEnoughIsLeft() {
    partitions(
        "n1",
        part("a", "set", "30Gi") + "," + part("b", "set", "20Gi") + "," + part("c", "set", "10Gi"));
    objects.claim("c", "'requests':[" + count("r", 2) + "]");
    assertThat(objects.plan()).isEqualTo("r=a r=c");

    objects.allocated("x", "{'request':'r','driver':'gpu.example.com','pool':'n1','device':'c'}");
    assertThat(objects.plan()).isEqualTo(NONE);
  }

  @Test
  void anOverdrawnCounter_keepsEveryDeviceOfThePoolThatUsesCounters() {
    String pool = "'pool':{'name':'p','generation':1,'resourceSliceCount':2}";
    objects
        .slice(
            "counters",
            "'nodeName':'n1',"
                + pool
                + ",'sharedCounters':[{'name':'one','counters':{'m':{'value':'1'}}},"
                + "{'name':'two','counters':{'m':{'value':'1'}}}]")
        .slice(
            "devices",
            "'nodeName':'n1',"
                + pool
                + ",'devices':[{'name':'a','consumesCounters':[{'counterSet':'one','counters':{'m':{'value':'2'}}}]},"
                + "{'name':'b','consumesCounters':[{'counterSet':'two','counters':{'m':{'value':'1'}}}]}]")
        .claim("c", "'requests':[" + request("r", "") + "]");
    assertThat(objects.plan()).isEqualTo("r=b");

    objects.allocated("x", "{'request':'r','driver':'gpu.example.com','pool':'p','device':'a'}");
    assertThat(objects.plan()).isEqualTo(NONE);
  }

  @Test
  void aDeviceThatATaintRulesOut_keepsItsCountersForTheRestOfTheSearch() {
    String tainted =
        "{'name':'a','taints':[{'key':'k','effect':'NoSchedule'}],'consumesCounters':"
            + "[{'counterSet':'set','counters':{'memory':{'value':'30Gi'}}}]}";
    partitions("n1", tainted + "," + part("b", "set", "20Gi"));
    objects.claim("c", "'requests':[" + request("r", "") + "]");

    assertThat(objects.plan()).as("as in kube-scheduler").isEqualTo(NONE);
  }

  @Test
  void aDeviceWithBindingConditions_comesLast() {
    objects
        .slice(
            "s",
            "'nodeName':'n1','pool':{'name':'a','generation':1,'resourceSliceCount':1},'devices':"
                + "[{'name':'fabric','bindingConditions':['Attached'],'bindingFailureConditions':['Broken']}]")
        .devices("{'name':'local'}")
        .claim("c", "'requests':[" + count("r", 2) + "]");

    assertThat(objects.plan()).isEqualTo("r=local r=fabric");
    assertThat(
            objects
                .planOn(DeviceObjects.node("n1", ""))
                .allocations()
                .getFirst()
                .results()
                .getLast())
        .satisfies(
            result -> {
              assertThat(result.bindingConditions()).containsExactly("Attached");
              assertThat(result.bindingFailureConditions()).containsExactly("Broken");
            });
  }

  @Test
  void aDevicePerNode_isReachedThroughItsOwnSelector() {
    objects
        .slice(
            "s",
            "'perDeviceNodeSelection':true,"
                + pool(1, 1)
                + ",'devices':[{'name':'other','nodeName':'n2'},{'name':'zone','nodeSelector':"
                + "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'zone','operator':'In','values':['a']}]}]}},"
                + "{'name':'any','allNodes':true}]")
        .claim("c", "'requests':[" + count("r", 2) + "]");

    assertThat(objects.plan("n1")).isEqualTo("r=zone r=any");
    assertThat(objects.plan("n2")).isEqualTo("r=other r=zone");
    assertThat(DeviceObjects.text(objects.planOn(DeviceObjects.node("n3", "")))).isEqualTo(NONE);
  }

  // ---------------------------------------------------------------------------------- capacity

  private static String shared(String name, String policy) {
    return "{'name':'%s','allowMultipleAllocations':true,'capacity':{'memory':{'value':'40Gi'%s}}}"
        .formatted(name, policy);
  }

  private static String asks(String amount) {
    return request("r", ",'capacity':{'requests':{'memory':'" + amount + "'}}");
  }

  @Test
  void aSharedDevice_isGivenInParts_untilTooLittleIsLeft() {
    objects.devices(shared("d", "")).claim("a", "'requests':[" + asks("30Gi") + "]");
    assertThat(objects.plan()).isEqualTo("r=d");

    objects.claim("b", "'requests':[" + asks("20Gi") + "]");
    assertThat(objects.plan()).isEqualTo(NONE);
  }

  @Test
  void requestsForPartsAreRoundedUp_andRejectedBeyondTheRange() {
    String policy =
        ",'requestPolicy':{'default':'10Gi','validRange':{'min':'5Gi','step':'5Gi','max':'20Gi'}}";
    assertThat(consumed(policy, "12Gi")).isEqualTo("15Gi");
    assertThat(consumed(policy, "1Gi")).isEqualTo("5Gi");
    assertThat(consumed(policy, "21Gi")).isEqualTo(NONE);
    String values = ",'requestPolicy':{'default':'10Gi','validValues':['10Gi','20Gi']}";
    assertThat(consumed(values, "11Gi")).isEqualTo("20Gi");
    assertThat(consumed(values, "21Gi")).isEqualTo(NONE);
  }

  @Test
  void requestsForFractions_areRoundedUpToThousandths() {
    String policy =
        ",'requestPolicy':{'default':'1','validRange':{'min':'100m','step':'250m','max':'2'}}";
    assertThat(consumed(policy, "50m")).isEqualTo("100m");
    assertThat(consumed(policy, "100m")).isEqualTo("100m");
    assertThat(consumed(policy, "101m")).isEqualTo("350m");
    assertThat(consumed(policy, "1100m")).isEqualTo("1100m");
    assertThat(consumed(policy, "1900m")).isEqualTo(NONE);
  }

  private static String consumed(String policy, String amount) {
    DevicePlanner.Plan plan =
        new DeviceObjects()
            .devices(shared("d", policy))
            .claim("a", "'requests':[" + asks(amount) + "]")
            .planOn(DeviceObjects.node("n1", ""));
    return plan.refusal().isPresent()
        ? plan.refusal().get().reason()
        : io.berth.engine.quantity.SignedQuantity.text(
            plan.allocations().getFirst().results().getFirst().consumed().get("memory"));
  }

  @Test
  void devicesOfAnEarlierAttempt_areLookedAtBeforeThePodIsBound() {
    assertThat(List.of(DeviceClaim.Readiness.READY, DeviceClaim.Readiness.WAITING))
        .allSatisfy(
            readiness ->
                assertThat(stepsOf(readiness))
                    .containsExactly(
                        new ClaimAllocation(
                            "team", "c", "uid-c", Optional.empty(), Optional.empty())));
  }

  /** Returns the steps for a pod whose claim has devices, and is reserved for it. */
  private static List<ClaimAllocation> stepsOf(DeviceClaim.Readiness readiness) {
    DeviceObjects objects = new DeviceObjects();
    objects.table.put(
        new DeviceClaim(
            "team",
            "c",
            "uid-c",
            false,
            "",
            false,
            ClaimSpec.empty(),
            Optional.of(new DeviceAllocation(List.of(), List.of(), Optional.empty())),
            Optional.empty(),
            readiness,
            Set.of("pod")));
    DevicePlanner planner =
        new DevicePlanner(
            "team",
            new PodDevices(List.of(new PodClaim.Named("c")), List.of()),
            ResourceAmounts.none(),
            objects.table);
    return planner.steps(planner.planFor(DeviceObjects.node("n1", "")), "pod");
  }

  @Test
  void partsOfASharedDevice_haveDifferentIdentifiers_whichFollowFromTheClaim() {
    objects
        .devices(shared("d", ""))
        .claim("a", "'requests':[" + asks("10Gi") + "," + asks("10Gi").replace("'r'", "'s'") + "]");
    DevicePlanner planner =
        new DevicePlanner(
            "team",
            new io.berth.engine.model.PodDevices(
                java.util.List.of(new io.berth.engine.model.PodClaim.Named("a")),
                java.util.List.of()),
            io.berth.engine.model.ResourceAmounts.none(),
            objects.table);
    DevicePlanner.Plan plan = planner.planFor(DeviceObjects.node("n1", ""));

    assertThat(planner.steps(plan, "pod")).isEqualTo(planner.steps(plan, "pod"));
    assertThat(planner.steps(plan, "pod").getFirst().allocation().orElseThrow().results())
        .extracting(result -> result.shareId().orElseThrow())
        .doesNotHaveDuplicates()
        .hasSize(2);
  }

  // ---------------------------------------------------------------------------------- constraints

  private static String grouped(String name, String value) {
    return "{'name':'%s','attributes':{'group':{%s}}}".formatted(name, value);
  }

  @Test
  void devicesOfOneGroup_areFoundByTryingAllCombinations() {
    objects
        .devices(
            grouped("a", "'int':1")
                + ","
                + grouped("b", "'string':'1'")
                + ","
                + grouped("c", "'int':2")
                + ","
                + grouped("d", "'int':2"))
        .claim(
            "c",
            "'requests':["
                + request("x", "")
                + ","
                + request("y", "")
                + "],'constraints':[{'matchAttribute':'gpu.example.com/group'}]");

    assertThat(objects.plan()).isEqualTo("x=c y=d");
  }

  @Test
  void differentValues_areComparedWithTheLastDeviceOfEachRequestAlone() {
    objects
        .devices(
            grouped("a", "'int':1") + "," + grouped("b", "'int':2") + "," + grouped("c", "'int':1"))
        .claim(
            "c",
            "'requests':["
                + count("r", 3)
                + "],'constraints':[{'distinctAttribute':'gpu.example.com/group'}]");

    assertThat(objects.plan()).as("as in kube-scheduler").isEqualTo("r=a r=b r=c");
  }

  @Test
  void aConstraintForAnAlternative_doesNotBindTheOthers() {
    objects
        .devices(grouped("a", "'int':1") + "," + grouped("b", "'int':2"))
        .claim(
            "c",
            "'requests':[{'name':'r','firstAvailable':[{'name':'two','deviceClassName':'gpu','count':2},"
                + "{'name':'one','deviceClassName':'gpu','count':1}]}],"
                + "'constraints':[{'requests':['r/two'],'matchAttribute':'gpu.example.com/group'}]");

    assertThat(objects.plan()).isEqualTo("r/one=a");
  }

  // ---------------------------------------------------------------------------------- sharing

  @Test
  void adminAccess_takesDevicesThatOthersHave_butEachOncePerClaim() {
    objects
        .devices("{'name':'a'},{'name':'b'}")
        .allocated("x", "{'request':'r','driver':'gpu.example.com','pool':'n1','device':'a'}")
        .claim(
            "c",
            "'requests':["
                + request("r", ",'adminAccess':true")
                + ","
                + request("s", ",'adminAccess':true")
                + "]")
        .claim("d", "'requests':[" + request("t", "") + "]");

    assertThat(objects.plan()).isEqualTo(NONE);
    assertThat(
            new DeviceObjects()
                .devices("{'name':'a'},{'name':'b'}")
                .allocated(
                    "x", "{'request':'r','driver':'gpu.example.com','pool':'n1','device':'a'}")
                .claim(
                    "c",
                    "'requests':["
                        + request("r", ",'adminAccess':true")
                        + ","
                        + request("s", ",'adminAccess':true")
                        + "]")
                .plan())
        .isEqualTo("r=a s=b");
  }

  @Test
  void aDeviceThatAnAdministratorLooksAt_isFreeForOthers() {
    objects
        .devices("{'name':'a'}")
        .allocated(
            "x",
            "{'request':'r','driver':'gpu.example.com','pool':'n1','device':'a','adminAccess':true}")
        .claim("c", "'requests':[" + request("r", "") + "]");

    assertThat(objects.plan()).isEqualTo("r=a");
  }
}
