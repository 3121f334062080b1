-- Where the people at the canvas look: one place for all of them.
CREATE TABLE canvas_viewport (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    x        double precision NOT NULL,
    y        double precision NOT NULL,
    zoom     double precision NOT NULL CHECK (zoom > 0)
);
