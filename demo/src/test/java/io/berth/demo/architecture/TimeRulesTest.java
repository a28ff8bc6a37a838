package io.berth.demo.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import io.berth.operator.reconcile.Reconcilers;
import io.berth.operator.schedule.SchedulingLoop;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * The rules for the operator's code that the simulation runs, on a pod's way and in the
 * reconcilers: it takes time, delays, threads, and chance from {@link io.berth.operator.api.Timing}
 * and clocks that it is given.
 */
class TimeRulesTest {

  private static GivenClassesConjunction simulatedClasses() {
    return noClasses()
        .that()
        .resideInAnyPackage(
            "io.berth.operator.bind..",
            "io.berth.operator.extender..",
            "io.berth.operator.gpu..",
            "io.berth.operator.group..",
            "io.berth.operator.load..",
            "io.berth.operator.reconcile..",
            "io.berth.operator.record..",
            "io.berth.operator.schedule..");
  }

  @Test
  void simulatedCode_readsNoClock() {
    simulatedClasses()
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethodWhere(target(owner(inJavaTime())).and(target(name("now"))))
        .orShould()
        .callMethodWhere(target(owner(inJavaTime())).and(target(name("systemUTC"))))
        .check(BerthClasses.all());
  }

  @Test
  void simulatedCode_startsNoThreads_exceptForTheLoopAndTheReconcilers() {
    simulatedClasses()
        .and()
        .doNotBelongToAnyOf(SchedulingLoop.class, Reconcilers.class)
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(Executors.class, java.util.Timer.class)
        .orShould()
        .callMethodWhere(target(owner(type(Thread.class))).and(target(name("sleep"))))
        .orShould()
        .callMethodWhere(target(owner(type(Thread.class))).and(target(name("ofVirtual"))))
        .orShould()
        .callMethodWhere(target(owner(type(Thread.class))).and(target(name("ofPlatform"))))
        .orShould()
        .callMethodWhere(target(owner(type(Thread.class))).and(target(name("startVirtualThread"))))
        .orShould()
        .callMethodWhere(target(owner(type(CompletableFuture.class))).and(target(name("runAsync"))))
        .orShould()
        .callMethodWhere(
            target(owner(type(CompletableFuture.class))).and(target(name("supplyAsync"))))
        .check(BerthClasses.all());
  }

  @Test
  void simulatedCode_drawsNoChanceOfItsOwn() {
    simulatedClasses()
        .should()
        .callMethod(Math.class, "random")
        .orShould()
        .callConstructor(java.util.Random.class)
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(ThreadLocalRandom.class)
        .check(BerthClasses.all());
  }

  private static DescribedPredicate<JavaClass> inJavaTime() {
    return DescribedPredicate.describe(
        "in java.time", type -> type.getPackageName().equals(Instant.class.getPackageName()));
  }

  private static DescribedPredicate<JavaClass> type(Class<?> wanted) {
    return DescribedPredicate.describe(wanted.getName(), type -> type.isEquivalentTo(wanted));
  }
}
