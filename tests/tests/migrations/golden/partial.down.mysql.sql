-- Takes that back. Read it before it is applied.

DROP TABLE `marks`;

DROP TABLE `notes`;
