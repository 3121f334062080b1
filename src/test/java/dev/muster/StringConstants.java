package dev.muster;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Finds the string constants of sources with the parser of the compiler. A concatenation is one
 * constant; constants that it names, of any class, are replaced by their values.
 */
final class StringConstants {

  /**
   * A literal or a concatenation.
   *
   * @param type the top-level class, without {@code dev.muster.}
   * @param text with {@link #UNKNOWN} for each part that is no constant
   */
  record Constant(String type, String text) {}

  private static final String UNKNOWN = " ? ";

  /** The initial values of constants, by "Class.NAME". */
  private final Map<String, ExpressionTree> fields = new HashMap<>();

  private final List<Constant> found = new ArrayList<>();

  private StringConstants(List<? extends JavaFileObject> sources) throws IOException {
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, sources);
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    units.forEach(unit -> new FieldScanner().scan(unit, null));
    units.forEach(unit -> new ConstantScanner(unit).scan(unit, null));
  }

  static List<Constant> of(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      List<Source> sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .map(file -> new Source(file.toUri(), read(file)))
              .toList();
      return new StringConstants(sources).found;
    }
  }

  static List<Constant> ofSource(String source) {
    try {
      return new StringConstants(List.of(new Source(URI.create("string:///Planted.java"), source)))
          .found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(URI uri, String text) {
      super(uri, Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Knows the classes that enclose the visited tree, the inner one first. */
  private abstract static class ClassScanner extends TreeScanner<Void, Void> {
    final Deque<String> classes = new ArrayDeque<>();

    @Override
    public Void visitClass(ClassTree type, Void none) {
      classes.push(type.getSimpleName().toString());
      super.visitClass(type, null);
      classes.pop();
      return null;
    }
  }

  private final class FieldScanner extends ClassScanner {

    @Override
    public Void visitVariable(VariableTree field, Void none) {
      if (field.getModifiers().getFlags().contains(Modifier.FINAL)
          && field.getInitializer() != null
          && String.valueOf(field.getType()).equals("String")) {
        fields.put(classes.peek() + "." + field.getName(), field.getInitializer());
      }
      return super.visitVariable(field, null);
    }
  }

  private final class ConstantScanner extends ClassScanner {
    private final String pack;

    ConstantScanner(CompilationUnitTree unit) {
      this.pack = (unit.getPackageName() + ".").replaceFirst("^dev\\.muster\\.", "");
    }

    @Override
    public Void visitLiteral(LiteralTree literal, Void none) {
      if (literal.getValue() instanceof String text) {
        add(text);
      }
      return null;
    }

    @Override
    public Void visitBinary(BinaryTree binary, Void none) {
      if (binary.getKind() != Tree.Kind.PLUS) {
        return super.visitBinary(binary, null);
      }
      add(text(binary));
      scanUnknown(binary);
      return null;
    }

    private void add(String text) {
      found.add(new Constant(pack + classes.peekLast(), text));
    }

    private void scanUnknown(ExpressionTree part) {
      if (part instanceof BinaryTree binary && binary.getKind() == Tree.Kind.PLUS) {
        scanUnknown(binary.getLeftOperand());
        scanUnknown(binary.getRightOperand());
      } else if (!(part instanceof LiteralTree)) {
        scan(part, null);
      }
    }

    private String text(ExpressionTree part) {
      return switch (part) {
        case LiteralTree literal -> String.valueOf(literal.getValue());
        case ParenthesizedTree inner -> text(inner.getExpression());
        case BinaryTree binary when binary.getKind() == Tree.Kind.PLUS ->
            text(binary.getLeftOperand()) + text(binary.getRightOperand());
        case IdentifierTree name ->
            classes.stream()
                .map(type -> fields.get(type + "." + name.getName()))
                .filter(value -> value != null)
                .findFirst()
                .map(this::text)
                .orElse(UNKNOWN);
        case MemberSelectTree name when fields.containsKey(name.toString()) ->
            text(fields.get(name.toString()));
        case MethodInvocationTree call
            when call.getMethodSelect() instanceof MemberSelectTree method
                && method.getIdentifier().contentEquals("formatted") ->
            text(method.getExpression());
        default -> UNKNOWN;
      };
    }
  }
}
