package io.berth.demo.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.junit.jupiter.api.Test;

/** The packages of a module are layers: no package depends on one that depends on it. */
class PackageRulesTest {

  /** The number of names up to the module, as in {@code io.berth.engine}. */
  private static final int MODULE = 3;

  /**
   * The packages directly below a module's root, each with its own subpackages, and the root
   * itself.
   */
  private static final SliceAssignment ROOMS =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          if (!type.getPackageName().startsWith("io.berth.")) {
            return SliceIdentifier.ignore();
          }
          String[] names = type.getPackageName().split("\\.");
          return SliceIdentifier.of(names[MODULE - 1], names.length > MODULE ? names[MODULE] : "");
        }

        @Override
        public String getDescription() {
          return "packages of modules";
        }
      };

  @Test
  void packages_dependOnEachOtherInOneDirection() {
    slices()
        .assignedFrom(ROOMS)
        .namingSlices("$1.$2")
        .should()
        .beFreeOfCycles()
        .because("otherwise none of them can be understood, tested, or replaced alone")
        .check(BerthClasses.all());
  }
}
