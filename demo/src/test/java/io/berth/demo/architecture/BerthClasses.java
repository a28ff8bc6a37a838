package io.berth.demo.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The production classes of all modules. */
final class BerthClasses {

  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("jmh_generated"))
          .importPackages("io.berth");

  private BerthClasses() {}

  static JavaClasses all() {
    return ALL;
  }
}
